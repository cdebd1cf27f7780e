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
