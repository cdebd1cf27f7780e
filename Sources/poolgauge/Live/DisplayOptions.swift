import Dashboard
import TerminalUI

/// The options of a display: its appearance, automatic keys, and picture.
struct DisplayOptions {
    var theme = Theme.standard
    var themes = Theme.builtIn
    /// The characters for drawing charts, or `nil` for the best set for the locale.
    var glyphs: GlyphSet?
    /// The refresh rate, in frames/s.
    var refreshRate = DashboardSettings.standardRefreshRate
    var usesMouse = true
    /// The key bindings that differ from the defaults.
    var keyChanges: [DashboardCommand: [Key]] = [:]
    /// The keys to press automatically.
    var keys: [Key] = []
    /// The time of the first key, in nanoseconds after the content first appears.
    var keysStart: UInt64 = 1_000_000_000
    /// Whether the display ends by taking a picture.
    var takesPicture = false
    /// The file for the cost of the display, if any.
    var costs: ReportDestination?

    /// Reads the configuration and the themes.
    ///
    /// - Parameters:
    ///   - theme: The theme specified on the command line, or `nil` for the configured theme.
    ///   - folder: The folder with the configuration.
    /// - Throws: The errors in the configuration or the theme.
    init(theme: String? = nil, folder: ConfigurationFolder = .init()) throws {
        let settings = try DashboardSettings.load(from: folder)
        let library = ThemeLibrary(folder: folder.themes)
        if let name = theme ?? settings.theme { self.theme = try library.theme(named: name) }
        themes = library.themes
        glyphs = settings.glyphs
        refreshRate = settings.refreshRate
        usesMouse = settings.usesMouse
        keyChanges = settings.keys
    }
}
