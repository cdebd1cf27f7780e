import Dashboard
import TerminalUI

/// The user's dashboard settings in `config.yaml`.
struct DashboardSettings: Sendable, Equatable {
    /// The name of the theme, or `nil` for the default theme.
    var theme: String?
    /// The characters for drawing charts, or `nil` for the best set for the locale.
    var glyphs: GlyphSet?
    /// The refresh rate, in frames/s.
    var refreshRate = Self.standardRefreshRate
    /// Whether the dashboard handles mouse events.
    ///
    /// If `false`, the mouse selects text in the terminal.
    var usesMouse = true
    /// The keys that the user assigned to commands.
    var keys: [DashboardCommand: [Key]] = [:]

    /// The default refresh rate, in frames/s.
    static let standardRefreshRate = 10.0
    /// The valid refresh rates, in frames/s.
    static let refreshRates = 0.5...60

    /// Reads the configuration file, or returns the defaults if the file does not exist.
    static func load(from folder: ConfigurationFolder = .init()) throws -> DashboardSettings {
        guard let path = folder.configuration, let yaml = try TextFile.read(path) else {
            return DashboardSettings()
        }
        return try SettingsDecoder.decode(yaml: yaml, file: path)
    }
}

struct SettingsError: Error, Equatable, CustomStringConvertible {
    /// One message for each error: `file:line:column: message`.
    var issues: [String]

    var description: String { issues.joined(separator: "\n") }
}
