import ArgumentParser
import CursesTerminal
import Dashboard
import Foundation
import TerminalUI

struct ThemesSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "themes",
        abstract: "List, preview, and print the dashboard's themes.",
        discussion: "Your own themes are YAML files in $XDG_CONFIG_HOME/poolgauge/themes; 'themes "
            + "show dark' prints one as a template.",
        subcommands: [List.self, Preview.self, Show.self],
        defaultSubcommand: List.self
    )

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the themes.")

        func run() throws {
            let library = ThemeLibrary(folder: ConfigurationFolder().themes)
            let width = library.themes.map(\.name.count).max() ?? 0
            for theme in library.themes {
                let name = theme.name + String(repeating: " ", count: width - theme.name.count)
                try StandardOutput.write("\(name)  \(theme.summary)\n")
            }
            for failure in library.failures.dropLast() { StandardError.write("\(failure)\n") }
            if let last = library.failures.last { throw last }
        }
    }

    struct Preview: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the colors of a theme as the terminal displays them."
        )

        @Argument(help: "The name of a theme, or the path to its file.")
        var name: String

        @Option(help: "The characters for drawing charts; by default, the best set for the locale.")
        var glyphs: GlyphSet?

        func run() throws {
            let library = ThemeLibrary(folder: ConfigurationFolder().themes)
            let theme = try library.theme(named: name)
            let glyphs = glyphs ?? (TextEncoding.setLocale() ? .braille : .ascii)
            let surface = ThemePreview(theme: theme).surface(glyphs: glyphs)
            let environment = ProcessInfo.processInfo.environment
            switch Self.depth(in: environment) {
            case .mono: try StandardOutput.write(surface.plainText)
            case let depth: try StandardOutput.write(surface.reduced(to: depth).ansiText)
            }
        }

        /// Determines the color depth from the environment, because standard output may be a file.
        private static func depth(in environment: [String: String]) -> ColorDepth {
            let name = environment["TERM"] ?? ""
            guard (environment["NO_COLOR"] ?? "").isEmpty, !name.isEmpty, name != "dumb" else {
                return .mono
            }
            let claim = environment["COLORTERM"]?.lowercased()
            if claim == "truecolor" || claim == "24bit" { return .direct }
            return name.contains("256color") ? .indexed256 : .basic16
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the file of a built-in theme, for example as a template for your own."
        )

        @Argument(help: "The name of the theme.")
        var name: String

        func run() throws {
            _ = try Theme.named(name)
            guard let source = Theme.source(named: name) else { return }
            try StandardOutput.write(source)
        }
    }
}

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
