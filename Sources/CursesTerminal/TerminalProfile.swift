import TerminalUI

/// How a terminal is to be addressed: decided from the environment alone.
struct TerminalProfile: Equatable {
    /// The terminfo entry to open.
    var name: String
    /// Whether colours may be used at all.
    var wantsColors: Bool

    /// Chooses an entry.
    ///
    /// Direct colour needs both the terminal's word (`COLORTERM`) and an entry that says how to
    /// ask for it: most terminals' ordinary entry knows 256 colours.
    ///
    /// - Parameters:
    ///   - environment: The process's variables.
    ///   - isKnown: Whether the terminfo database has an entry of this name.
    /// - Throws: A ``TerminalError`` when there is nothing to draw on.
    init(environment: [String: String], isKnown: (String) -> Bool) throws(TerminalError) {
        let terminal = environment["TERM"] ?? ""
        guard !terminal.isEmpty, terminal != "dumb", terminal != "unknown" else {
            throw .cannotDraw(name: terminal)
        }
        guard isKnown(terminal) else { throw .unknown(name: terminal) }
        name = terminal
        // https://no-color.org: present and not empty, whatever its value.
        wantsColors = (environment["NO_COLOR"] ?? "").isEmpty
        let claim = environment["COLORTERM"]?.lowercased()
        if wantsColors, claim == "truecolor" || claim == "24bit" {
            name = Self.directNames(of: terminal).first(where: isKnown) ?? terminal
        }
    }

    /// The names that the direct-colour entry of a terminal may have, the likeliest first.
    static func directNames(of terminal: String) -> [String] {
        if terminal.hasSuffix("-direct") { return [terminal] }
        let suffix = "-256color"
        let family =
            terminal.hasSuffix(suffix) ? String(terminal.dropLast(suffix.count)) : terminal
        var names = [family + "-direct"]
        // xterm-kitty's is kitty-direct.
        if family.hasPrefix("xterm-") { names.append(family.dropFirst(6) + "-direct") }
        return names
    }
}
