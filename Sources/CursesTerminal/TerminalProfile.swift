import TerminalUI

/// The terminfo entry and the color setting for a terminal.
struct TerminalProfile: Equatable {
    var name: String
    var usesColors: Bool

    /// Selects the settings for a terminal.
    ///
    /// Direct color requires both `COLORTERM` and a direct-color entry, because the usual entries
    /// of most terminals describe only 256 colors.
    ///
    /// - Parameters:
    ///   - environment: The process's environment variables.
    ///   - isKnown: A closure that returns whether the terminfo database has an entry with the
    ///     given name.
    /// - Throws: ``TerminalError`` if the terminal is unusable.
    init(environment: [String: String], isKnown: (String) -> Bool) throws(TerminalError) {
        let terminal = environment["TERM"] ?? ""
        guard !terminal.isEmpty, terminal != "dumb", terminal != "unknown" else {
            throw .cannotDraw(name: terminal)
        }
        guard isKnown(terminal) else { throw .unknown(name: terminal) }
        name = terminal
        // According to https://no-color.org, any nonempty value disables colors.
        usesColors = (environment["NO_COLOR"] ?? "").isEmpty
        let claim = environment["COLORTERM"]?.lowercased()
        if usesColors, claim == "truecolor" || claim == "24bit" {
            name = Self.directNames(of: terminal).first(where: isKnown) ?? terminal
        }
    }

    /// Returns the possible names of a terminal's direct-color entry, most likely first.
    static func directNames(of terminal: String) -> [String] {
        if terminal.hasSuffix("-direct") { return [terminal] }
        let suffix = "-256color"
        let family =
            terminal.hasSuffix(suffix) ? String(terminal.dropLast(suffix.count)) : terminal
        var names = [family + "-direct"]
        // The direct-color entry of xterm-kitty is kitty-direct.
        if family.hasPrefix("xterm-") { names.append(family.dropFirst(6) + "-direct") }
        return names
    }
}
