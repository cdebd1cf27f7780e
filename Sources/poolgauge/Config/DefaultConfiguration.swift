import Dashboard
import TerminalUI

/// The configuration as it is when nobody set anything, written for somebody who wants to.
enum DefaultConfiguration {
    /// The file's text; what it says is what holds without it.
    static func yaml(themes: [Theme]) -> String {
        let glyphs = GlyphSet.allCases.map(\.rawValue).joined(separator: ", ")
        let rates = DashboardSettings.refreshRates
        return """
            # The dashboard's configuration, as it is without this file: keep the lines that you
            # change. It is read from $XDG_CONFIG_HOME/poolgauge/config.yaml (~/.config without
            # that variable); options of the command line win over it.
            version: 1

            # A theme's name, yours among them: files of themes/ beside this file.
            # \(wrapped(themes.map(\.name).joined(separator: ", ")))
            theme: \(Theme.standard.name)

            # What pictures are made of: \(glyphs), or auto for what the locale can show.
            glyphs: auto

            # Frames a second, \(rates.lowerBound) to \(Int(rates.upperBound)).
            refresh: \(Int(DashboardSettings.standardRefreshRate))

            # Whether the mouse is for the dashboard. Where it is, most terminals select text with
            # Shift held down.
            mouse: true

            # Keys: characters, Space, Enter, Esc, Tab, Shift-Tab, Backspace, Del, Up, Down, Left,
            # Right, PgUp, PgDn, Home, End, F1 to F12, ^A to ^Z. The first one is shown in the key
            # bar; [] leaves a command without a key. A key given here to one command is taken from
            # the one that has it otherwise.
            keys:
            \(keys)

            """
    }

    private static var keys: String {
        let width = DashboardCommand.allCases.map(\.rawValue.count).max() ?? 0
        let lines = DashboardCommand.bindings.map { binding in
            let keys = binding.keys.map { quoted($0.label) }.joined(separator: ", ")
            let name = binding.command.rawValue + ":"
            return (
                name.padded(to: width + 1) + " [" + keys + "]",
                binding.help
            )
        }
        let column = lines.map(\.0.count).max() ?? 0
        return lines.map { "  \($0.padded(to: column))  # \($1)" }.joined(separator: "\n")
    }

    private static func wrapped(_ text: String) -> String {
        TextWrapping.lines(of: text, width: 90).joined(separator: "\n# ")
    }

    private static func quoted(_ label: String) -> String {
        let escaped = label.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }
        return "\"\(escaped.joined())\""
    }
}

extension String {
    /// The text with blanks up to a width in characters.
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }
}
