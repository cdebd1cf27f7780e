import TerminalUI

/// An overlay on a screen, which receives all key presses.
enum Overlay: Sendable, Equatable {
    /// The help, with the index of the first displayed line.
    case help(top: Int)
    /// The dialog for choosing a checkpoint mode, with the index of the selected mode.
    case checkpoint(Int)
    case prompt(PromptState)
}

struct PromptState: Sendable, Equatable {
    enum Purpose: Sendable, Equatable {
        /// A filter for rows, with the previous filter, which Esc restores.
        case filter(previous: String)
        /// A time to go to.
        case seek
    }

    var purpose: Purpose
    var text = ""
    /// The error in the last entered text.
    var problem: String?

    enum Outcome: Sendable, Equatable {
        /// The text may have changed.
        case edited
        case canceled
        case entered
    }

    /// The maximum length of the text, in UTF-8 bytes.
    private static let maximumLength = 200

    mutating func handle(_ key: Key) -> Outcome {
        problem = nil
        switch key {
        case .character(let character):
            if text.utf8.count < Self.maximumLength { text.append(character) }
        case .backspace, .delete:
            if !text.isEmpty { text.removeLast() }
        case .control("u"): text = ""
        case .escape: return .canceled
        case .enter: return .entered
        default: break
        }
        return .edited
    }
}

enum RunTime {
    /// Parses a time that the user typed, such as `12.5`, `12.5s`, `1:05`, `1:02:03`, or `-10`
    /// (relative to `now`).
    ///
    /// - Returns: The time in seconds, or `nil` if the text is invalid.
    static func seconds(of text: String, now: Double) -> Double? {
        var remaining = Substring(text)
        let isRelative = remaining.first == "-" || remaining.first == "−"
        if isRelative { remaining = remaining.dropFirst() }
        if remaining.last == "s" { remaining = remaining.dropLast() }
        let parts = remaining.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count) else { return nil }
        var seconds = 0.0
        for part in parts {
            guard let number = Double(part), number.isFinite, number >= 0 else { return nil }
            seconds = seconds * 60 + number
        }
        return isRelative ? now - seconds : seconds
    }
}
