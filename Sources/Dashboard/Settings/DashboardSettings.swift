import TerminalUI
import YAML

/// The user's dashboard settings in `config.yaml`.
package struct DashboardSettings: Sendable, Equatable {
    /// The name of the theme, or `nil` for the default theme.
    package var theme: String?
    /// The characters for drawing charts, or `nil` for the best set for the locale.
    package var glyphs: GlyphSet?
    /// The refresh rate, in frames/s.
    package var refreshRate = Self.standardRefreshRate
    /// Whether the dashboard handles mouse events.
    ///
    /// If `false`, the mouse selects text in the terminal.
    package var usesMouse = true
    /// The keys that the user assigned to commands.
    package var keys: [DashboardCommand: [Key]] = [:]

    /// The default refresh rate, in frames/s.
    package static let standardRefreshRate = 10.0
    /// The valid refresh rates, in frames/s.
    package static let refreshRates = 0.5...60

    /// Creates the default settings.
    package init() {}
}

package struct SettingsError: Error, Equatable, CustomStringConvertible {
    /// All errors in the file.
    package var issues: [YAMLIssue]

    package var description: String { issues.map(\.description).joined(separator: "\n") }
}
