import TerminalUI

/// An overlay above a screen, which receives all key presses.
enum Overlay: Sendable, Equatable {
    /// The help, scrolled to this line.
    case help(top: Int)
    /// The dialog for choosing a checkpoint mode, with the index of the selected mode.
    case checkpoint(Int)
    /// A prompt.
    case prompt(PromptState)
}

/// The state of a prompt.
struct PromptState: Sendable, Equatable {
    /// The purpose of a prompt.
    enum Purpose: Sendable, Equatable {
        /// A filter for rows.
        ///
        /// Esc restores the previous filter.
        case filter(before: String)
        /// A time in the run.
        case seek
    }

    var purpose: Purpose
    /// The text that has been typed.
    var text = ""
    /// The error in the last entered text.
    var problem: String?

    /// The effect of a key.
    enum Outcome: Sendable, Equatable {
        /// The text may have changed.
        case edited
        /// The prompt is canceled.
        case cancelled
        /// The text is complete.
        case entered
    }

    /// The maximum length of the text, in UTF-8 bytes.
    private static let limit = 200

    mutating func handle(_ key: Key) -> Outcome {
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
