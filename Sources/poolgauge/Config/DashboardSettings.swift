import Dashboard
import TerminalUI

/// The user's dashboard settings from `config.yaml`.
struct DashboardSettings: Sendable, Equatable {
    /// The theme's name; nil for the default.
    var theme: String?
    /// The characters for drawing charts; nil for the best set that the locale supports.
    var glyphs: GlyphSet?
    /// The refresh rate, in frames/s.
    var refreshRate = Self.standardRefreshRate
    /// Whether the dashboard uses the mouse; otherwise, the mouse selects text in the terminal.
    var usesMouse = true
    /// The keys of commands that differ from the defaults.
    var keys: [DashboardCommand: [Key]] = [:]

    /// The default refresh rate, in frames/s.
    static let standardRefreshRate = 10.0
    /// The valid refresh rates, in frames/s.
    static let refreshRates = 0.5...60

    /// Reads the configuration file; returns the defaults if there is none.
    static func load(from folder: ConfigurationFolder = .init()) throws -> DashboardSettings {
        guard let path = folder.configuration, let yaml = try TextFile.read(path) else {
            return DashboardSettings()
        }
        return try SettingsDecoder.decode(yaml: yaml, file: path)
    }
}

/// The errors of an invalid configuration.
struct SettingsError: Error, Equatable, CustomStringConvertible {
    /// One message for each error: `file:line:column: message`.
    var issues: [String]

    var description: String { issues.joined(separator: "\n") }
}
