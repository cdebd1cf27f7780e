import ArgumentParser
import CursesTerminal
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
