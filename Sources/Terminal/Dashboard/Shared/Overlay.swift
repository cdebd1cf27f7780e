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
