import ArgumentParser
import TerminalUI

/// `poolgauge config`.
struct ConfigSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "The dashboard's configuration: the defaults, and yours checked.",
        subcommands: [Defaults.self, Check.self],
        defaultSubcommand: Defaults.self
    )

    /// `poolgauge config defaults`.
    struct Defaults: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the configuration as it is without a file, with comments."
        )

        func run() throws {
            try StandardOutput.write(DefaultConfiguration.yaml(themes: Theme.builtIn))
        }
    }

    /// `poolgauge config check`.
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say which file is read, and what is wrong with it and with your themes."
        )

        func run() throws {
            let folder = ConfigurationFolder()
            guard let path = folder.configuration else {
                throw CommandFailure("neither XDG_CONFIG_HOME nor HOME names a folder")
            }
            let library = ThemeLibrary(folder: folder.themes)
            let isThere = try TextFile.read(path) != nil
            let settings = try DashboardSettings.load(from: folder)
            if let theme = settings.theme { _ = try library.theme(named: theme) }
            if let failure = library.failures.first { throw failure }
            let words = isThere ? "fine" : "not there: the defaults hold"
            try StandardOutput.write("\(path): \(words)\n")
        }
    }
}
