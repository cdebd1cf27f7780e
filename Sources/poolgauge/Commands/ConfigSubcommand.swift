import ArgumentParser
import Dashboard
import TerminalUI

struct ConfigSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Show the dashboard's default configuration, or check yours.",
        subcommands: [Defaults.self, Check.self],
        defaultSubcommand: Defaults.self
    )

    struct Defaults: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the default configuration, with comments."
        )

        func run() throws {
            try StandardOutput.write(DefaultConfiguration.yaml(themes: Theme.builtIn))
        }
    }

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check your configuration file and themes, and print the file's path."
        )

        func run() throws {
            let folder = ConfigurationFolder()
            guard let path = folder.configuration else {
                throw CommandFailure(
                    "neither XDG_CONFIG_HOME nor HOME is an absolute path; set one of them to the "
                        + "path of a folder"
                )
            }
            let library = ThemeLibrary(folder: folder.themes)
            let exists = try TextFile.read(path) != nil
            let settings = try DashboardSettings.load(from: folder)
            if let theme = settings.theme { _ = try library.theme(named: theme) }
            if let failure = library.failures.first { throw failure }
            let words = exists ? "valid" : "there is no such file; the defaults apply"
            try StandardOutput.write("\(path): \(words)\n")
        }
    }
}
