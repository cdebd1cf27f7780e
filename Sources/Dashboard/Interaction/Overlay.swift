import TerminalUI

/// What lies over a screen and takes its keys.
enum Overlay: Sendable, Equatable {
    /// The help, from this line on.
    case help(top: Int)
    /// The question how far to checkpoint, with the number of the selected answer.
    case checkpoint(Int)
    /// A line to type into.
    case prompt(PromptState)
}

/// A line that somebody types into.
struct PromptState: Sendable, Equatable {
    /// What the text is for.
    enum Purpose: Sendable, Equatable {
        /// What rows must contain; what was asked for before comes back with Esc.
        case filter(before: String)
        /// A time of the run.
        case seek
    }

    /// What the text is for.
    var purpose: Purpose
    /// The text so far.
    var text = ""
    /// What is wrong with the text that was entered last.
    var problem: String?

    /// What a key means to the line.
    enum Outcome: Sendable, Equatable {
        /// The text may have changed.
        case edited
        /// The line is closed without an effect.
        case cancelled
        /// The text is complete.
        case entered
    }

    /// The most bytes of UTF-8 that can be typed.
    private static let limit = 200

    /// Takes in a key.
    mutating func take(_ key: Key) -> Outcome {
        problem = nil
        switch key {
        case .character(let character):
            if text.utf8.count < Self.limit { text.append(character) }
        case .backspace, .delete:
            if !text.isEmpty { text.removeLast() }
        case .control("u"): text = ""
        case .escape: return .cancelled
        case .enter: return .entered
        default: break
        }
        return .edited
    }
}
