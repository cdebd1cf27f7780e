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
}
