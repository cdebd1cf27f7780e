/// An error that prevents the dashboard from using the terminal.
package enum TerminalError: Error, Equatable, CustomStringConvertible {
    /// Standard input or standard output is a file or a pipe.
    case notATerminal
    /// `TERM` is not set, or names a terminal that cannot position text.
    case cannotDraw(name: String)
    /// The terminfo database has no entry for the terminal.
    case unknown(name: String)
    /// ncurses rejected the terminal.
    case refused(name: String)

    package var description: String { text(alternative: "poolgauge run reads-during-import") }

    /// Describes the error and suggests `command`, which must not require a terminal.
    package func text(alternative command: String) -> String {
        let alternative = "run without the dashboard: \(command)"
        return switch self {
        case .notATerminal:
            "the dashboard needs a terminal, but standard input or output is not a terminal; "
                + alternative
        case .cannotDraw(let name) where name.isEmpty:
            "TERM is not set, so the dashboard cannot draw; set it, for example, to "
                + "xterm-256color, or \(alternative)"
        case .cannotDraw(let name):
            "TERM=\(name): this terminal cannot position text, which the dashboard requires; "
                + alternative
        case .unknown(let name):
            "TERM=\(name): the terminfo database has no such entry; "
                + "try TERM=xterm-256color, install Debian's ncurses-term, or \(alternative)"
        case .refused(let name):
            "TERM=\(name): ncurses cannot use this terminal; \(alternative)"
        }
    }
}
