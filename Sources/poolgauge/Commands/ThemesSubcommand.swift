import ArgumentParser
import TerminalUI

/// `poolgauge themes`.
struct ThemesSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "themes",
        abstract: "The dashboard's themes.",
        subcommands: [List.self],
        defaultSubcommand: List.self
    )

    /// `poolgauge themes list`.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the themes.")

        func run() throws {
            let width = Theme.builtIn.map(\.name.count).max() ?? 0
            for theme in Theme.builtIn {
                let name = theme.name + String(repeating: " ", count: width - theme.name.count)
                try StandardOutput.write("\(name)  \(theme.summary)\n")
            }
        }
    }
}
