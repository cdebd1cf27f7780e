import Dashboard
import Foundation
import TerminalUI
import Text

/// The folder for the user's configuration: `$XDG_CONFIG_HOME/poolgauge`.
///
/// If the variable does not contain an absolute path, the folder is `~/.config/poolgauge`
/// (<https://specifications.freedesktop.org/basedir-spec/latest/>).
struct ConfigurationFolder: Sendable, Equatable {
    /// The path of the folder, or `nil` if there is no home folder.
    let path: String?

    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix("/") {
            path = base + "/poolgauge"
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            path = home + "/.config/poolgauge"
        } else {
            path = nil
        }
    }

    /// The path of the configuration file, or `nil` if there is no home folder.
    var configuration: String? { path.map { $0 + "/config.yaml" } }

    /// The path of the folder for the user's themes, or `nil` if there is no home folder.
    var themes: String? { path.map { $0 + "/themes" } }
}

enum TextFile {
    /// Reads a text file.
    ///
    /// - Returns: The text, or `nil` if the file does not exist.
    /// - Throws: ``CommandFailure`` with the reason if the file cannot be read.
    static func read(_ path: String) throws -> String? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let data: Data
        do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
            throw CommandFailure("cannot read \(path): \(error.localizedDescription)")
        }
        guard let text = String(bytes: data, encoding: .utf8) else {
            throw CommandFailure("cannot read \(path): it is not encoded in UTF-8")
        }
        return text
    }
}

/// The default configuration, as a commented template.
enum DefaultConfiguration {
    static func yaml(themes: [Theme]) -> String {
        let glyphs = GlyphSet.allCases.map(\.rawValue).joined(separator: ", ")
        let rates = DashboardSettings.refreshRates
        return """
            # The dashboard's default configuration. Keep only the lines that you change. The
            # dashboard reads $XDG_CONFIG_HOME/poolgauge/config.yaml (or, if that variable is not
            # set, ~/.config/poolgauge/config.yaml). Command-line options override the file.
            version: 1

            # The name of a theme. Custom themes are files in themes/ next to this file.
            # \(wrapped(themes.map(\.name).joined(separator: ", ")))
            theme: \(Theme.standard.name)

            # The characters for drawing charts: \(glyphs), or auto for the best set that the
            # locale supports.
            glyphs: auto

            # Frames per second, \(rates.lowerBound) to \(Int(rates.upperBound)).
            refresh: \(Int(DashboardSettings.standardRefreshRate))

            # Whether the dashboard uses the mouse. If it does, you can still select text in most
            # terminals by holding Shift.
            mouse: true

            # Keys: characters, Space, Enter, Esc, Tab, Shift-Tab, Backspace, Del, Up, Down, Left,
            # Right, PgUp, PgDn, Home, End, F1 to F12, ^A to ^Z. The key bar shows the first key.
            # [] removes all keys of a command. A key that you assign to one command no longer
            # triggers its default command.
            keys:
            \(keys)

            """
    }

    private static var keys: String {
        let width = DashboardCommand.allCases.map(\.rawValue.count).max() ?? 0
        let lines = DashboardCommand.bindings.map { binding in
            let keys = binding.keys.map { Escaping.yamlDoubleQuoted($0.label) }.joined(
                separator: ", "
            )
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
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }
}

extension DashboardSettings {
    /// Reads the configuration file, or returns the defaults if the file does not exist.
    static func load(from folder: ConfigurationFolder = .init()) throws -> DashboardSettings {
        guard let path = folder.configuration, let yaml = try TextFile.read(path) else {
            return DashboardSettings()
        }
        return try SettingsDecoder.decode(yaml: yaml, file: path)
    }
}
