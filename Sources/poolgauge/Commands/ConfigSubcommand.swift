import ArgumentParser
import TerminalUI

/// `poolgauge config`.
struct ConfigSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Show the dashboard's default configuration, or check yours.",
        subcommands: [Defaults.self, Check.self],
        defaultSubcommand: Defaults.self
    )

    /// `poolgauge config defaults`.
    struct Defaults: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the default configuration, with comments."
        )

        func run() throws {
            try StandardOutput.write(DefaultConfiguration.yaml(themes: Theme.builtIn))
        }
    }

    /// `poolgauge config check`.
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Report which file is read, and check it and your themes."
        )

        func run() throws {
            let folder = ConfigurationFolder()
            guard let path = folder.configuration else {
                throw CommandFailure(
                    "neither XDG_CONFIG_HOME nor HOME contains an absolute path; set one of them"
                )
            }
            let library = ThemeLibrary(folder: folder.themes)
            let exists = try TextFile.read(path) != nil
            let settings = try DashboardSettings.load(from: folder)
            if let theme = settings.theme { _ = try library.theme(named: theme) }
            if let failure = library.failures.first { throw failure }
            let words = exists ? "valid" : "no such file; the defaults apply"
            try StandardOutput.write("\(path): \(words)\n")
        }
    }
}
