import Dashboard
import TerminalUI

/// What somebody set about the dashboard, in `config.yaml`.
struct DashboardSettings: Sendable, Equatable {
    /// The theme's name; nil for the default.
    var theme: String?
    /// What pictures are made of; nil for what the locale can show.
    var glyphs: GlyphSet?
    /// How often the screen is drawn, in frames/s.
    var refreshRate = Self.standardRefreshRate
    /// Whether the mouse is for the dashboard; else the terminal selects text with it.
    var usesMouse = true
    /// The keys of commands that have others than those they ship with.
    var keys: [DashboardCommand: [Key]] = [:]

    /// The frames/s when nobody says how many.
    static let standardRefreshRate = 10.0
    /// The frames/s that make sense.
    static let refreshRates = 0.5...60

    /// What the configuration file says; the defaults when there is none.
    static func load(from folder: ConfigurationFolder = .init()) throws -> DashboardSettings {
        guard let path = folder.configuration, let yaml = try TextFile.read(path) else {
            return DashboardSettings()
        }
        return try SettingsDecoder.decode(yaml: yaml, file: path)
    }
}

/// A configuration that cannot be used: what is wrong with it, and where.
struct SettingsError: Error, Equatable, CustomStringConvertible {
    /// Every mistake: `file:line:column: message`.
    var issues: [String]

    var description: String { issues.joined(separator: "\n") }
}
