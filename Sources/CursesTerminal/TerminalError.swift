/// Why there is no terminal to draw on.
package enum TerminalError: Error, Equatable, CustomStringConvertible {
    /// Standard input or standard output is a file or a pipe.
    case notATerminal
    /// `TERM` names a terminal that cannot place text, or is not set.
    case cannotDraw(name: String)
    /// The terminfo database does not describe it.
    case unknown(name: String)
    /// ncurses would not start.
    case refused(name: String)

    /// What is wrong, and the way out.
    package var description: String { text(wayOut: "poolgauge run reads-during-import") }

    /// What is wrong, and the way out.
    ///
    /// - Parameter command: A command that does without a screen.
    /// - Returns: The problem and the command, in words.
    package func text(wayOut command: String) -> String {
        let wayOut = "run without a screen: \(command)"
        return switch self {
        case .notATerminal:
            "the dashboard needs a terminal, and standard input or output is none; "
                + wayOut
        case .cannotDraw(let name) where name.isEmpty:
            "TERM is not set, so the dashboard cannot draw; set it, for example to "
                + "xterm-256color, or \(wayOut)"
        case .cannotDraw(let name):
            "TERM=\(name): such a terminal cannot place text, which the dashboard needs; "
                + wayOut
        case .unknown(let name):
            "TERM=\(name): the terminfo database does not know such a terminal; "
                + "try TERM=xterm-256color, install Debian's ncurses-term, or \(wayOut)"
        case .refused(let name):
            "TERM=\(name): ncurses cannot use this terminal; \(wayOut)"
        }
    }
}
