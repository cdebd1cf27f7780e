import Text

/// A key press, as a terminal reports it.
package enum Key: Sendable, Hashable {
    /// A typed character.
    case character(Character)
    /// Control with a lowercase letter.
    case control(Character)
    /// F1 to F12.
    case function(Int)
    /// Return or Enter.
    case enter
    case escape
    case tab
    /// Shift-Tab.
    case backTab
    case backspace
    case delete
    case up
    case down
    case left
    case right
    case pageUp
    case pageDown
    case home
    case end
}

/// A mouse event in a cell.
package struct MouseEvent: Sendable, Hashable {
    package enum Action: Sendable, Hashable {
        /// The first button was pressed.
        case press
        /// The mouse moved while the first button was pressed.
        case drag
        /// The first button was released.
        case release
        /// The wheel turned away from the user.
        case wheelUp
        /// The wheel turned toward the user.
        case wheelDown
    }

    package var action: Action
    /// The cell in which the event occurred.
    package var position: Point

    package init(_ action: Action, at position: Point) {
        self.action = action
        self.position = position
    }
}

/// An input event from a terminal.
package enum InputEvent: Sendable, Hashable {
    /// A key was pressed.
    case key(Key)
    /// The user pressed or released a mouse button, dragged, or turned the wheel.
    case mouse(MouseEvent)
    /// The terminal has a new size.
    case resize(Size)
}

/// A parser for sequences of keys, as in the `--press` option.
///
/// A character represents itself. Other keys are names in angle brackets, as in `nn<Esc>?<^C>`.
package enum KeyScript {
    package struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// A description of the error and the expected value.
        package var description: String
    }

    /// Parses keys.
    ///
    /// - Throws: ``Failure`` for an unknown name or an unmatched angle bracket.
    package static func parse(_ text: String) throws(Failure) -> [Key] {
        var keys: [Key] = []
        var remaining = Substring(text)
        while let first = remaining.popFirst() {
            guard first == "<" else {
                keys.append(.character(first))
                continue
            }
            guard let end = remaining.firstIndex(of: ">") else {
                throw Failure(
                    description: "'<\(remaining)' has no '>'; "
                        + "write keys such as nn<Esc>?, and <lt> for <"
                )
            }
            let name = String(remaining[..<end])
            remaining = remaining[remaining.index(after: end)...]
            keys.append(try key(named: name))
        }
        return keys
    }

    /// Returns the key with the given ``Key/label``, such as a character, `Space`, `PgUp`, `F1`, or
    /// `^C`.
    ///
    /// - Throws: ``Failure`` for an unknown name.
    package static func key(named name: String) throws(Failure) -> Key {
        if name.count == 1, let character = name.first { return .character(character) }
        if name.count == 2, name.first == "^", let letter = name.lowercased().last {
            return .control(letter)
        }
        if let key = namedKeys.first(where: { $0.0.lowercased() == name.lowercased() })?.1 {
            return key
        }
        let names = namedKeys.map(\.0)
        let nearest = NearestName.of(name, among: names)
        let lead = nearest.map { "; did you mean '\($0)'? Keys: " } ?? "; expected one of: "
        throw Failure(
            description: "there is no key '\(name)'" + lead + "a character, "
                + names.joined(separator: ", ") + " (for the character <), ^A to ^Z"
        )
    }

    private static let namedKeys: [(String, Key)] = {
        let keys: [Key] = [
            .character(" "), .enter, .escape, .tab, .backTab, .backspace, .delete, .up, .down,
            .left, .right, .pageUp, .pageDown, .home, .end,
        ]
        return keys.map { ($0.label, $0) } + (1...12).map { ("F\($0)", .function($0)) }
            + [("lt", .character("<"))]
    }()
}

/// The target of a mouse click.
///
/// While drawing, a widget declares the target of each area that responds to clicks.
package enum MouseTarget: Sendable, Hashable {
    /// A key in the key bar.
    ///
    /// A click has the same effect as the key.
    case key(Key)
    /// A row of a list, identified by name.
    case row(String)
    /// The title of a sortable column.
    case column(String)
    /// A time on a chart, in seconds since the start of the run.
    case time(Double)
}

struct MouseArea: Sendable {
    var rect: Rect
    var meaning: Meaning

    enum Meaning: Sendable {
        case target(MouseTarget)
        /// The times between the left and right edges of the area.
        case times(from: Double, to: Double)
    }
}

extension Canvas {
    /// Declares the mouse target of an area.
    ///
    /// Later targets cover earlier targets.
    package mutating func mark(_ rect: Rect, as target: MouseTarget) {
        mark(rect.intersection(clip), meaning: .target(target))
    }

    /// Declares that an area shows the times from `start` to `end`, in seconds.
    package mutating func markTimes(_ rect: Rect, from start: Double, to end: Double) {
        mark(rect.intersection(clip), meaning: .times(from: start, to: end))
    }

    private mutating func mark(_ rect: Rect, meaning: MouseArea.Meaning) {
        guard !rect.isEmpty else { return }
        mouseAreas.append(MouseArea(rect: rect, meaning: meaning))
    }

    package func target(at point: Point) -> MouseTarget? {
        let area = mouseAreas.last { area in
            (area.rect.minX..<area.rect.maxX).contains(point.x)
                && (area.rect.minY..<area.rect.maxY).contains(point.y)
        }
        guard let area else { return nil }
        switch area.meaning {
        case .target(let target): return target
        case .times(let start, let end):
            let share = (Double(point.x - area.rect.minX) + 0.5) / Double(area.rect.width)
            return .time(start + (end - start) * share)
        }
    }
}

/// The keys of a command, declared once for key handling, the key bar, the help, and the
/// documentation.
package struct KeyBinding<Command: Sendable>: Sendable {
    /// The keys, with the displayed key first.
    package let keys: [Key]
    package let command: Command
    /// The name in the key bar.
    package let name: String
    /// The description in the help.
    package let help: String
    /// The priority in the key bar, or `nil` to omit the command from the key bar.
    package let priority: Int?

    package init(
        _ keys: [Key],
        _ command: Command,
        name: String,
        help: String,
        priority: Int? = nil
    ) {
        self.keys = keys
        self.command = command
        self.name = name
        self.help = help
        self.priority = priority
    }
}

extension Key {
    package var label: String {
        switch self {
        case .character(" "): "Space"
        case .character(let character): String(character)
        case .control(let character): "^" + character.uppercased()
        case .function(let number): "F\(number)"
        case .enter: "Enter"
        case .escape: "Esc"
        case .tab: "Tab"
        case .backTab: "Shift-Tab"
        case .backspace: "Backspace"
        case .delete: "Del"
        case .up: "Up"
        case .down: "Down"
        case .left: "Left"
        case .right: "Right"
        case .pageUp: "PgUp"
        case .pageDown: "PgDn"
        case .home: "Home"
        case .end: "End"
        }
    }
}
