import Dashboard
import TerminalUI

/// The appearance of a display, and its automatic keys and picture.
struct DisplayOptions {
    /// The initial theme.
    var theme = Theme.standard
    /// The themes that the `t` key cycles through.
    var themes = Theme.builtIn
    /// The characters that draw charts; nil for the best that the locale supports.
    var glyphs: GlyphSet?
    /// Frames per second.
    var refreshRate = DashboardSettings.standardRefreshRate
    /// Whether the display uses the mouse.
    var usesMouse = true
    /// The key bindings that differ from the default ones.
    var keyChanges: [DashboardCommand: [Key]] = [:]
    /// The keys to press automatically.
    var keys: [Key] = []
    /// The time of the first key, in nanoseconds after the first content.
    var keysStart: UInt64 = 1_000_000_000
    /// Whether the display ends with a picture.
    var takesPicture = false
    /// The file for the cost of the display.
    var costs: ReportDestination?

    /// Reads the configuration and the themes.
    ///
    /// - Parameters:
    ///   - theme: The theme of the command line; by default, the one of the configuration.
    ///   - folder: The folder of the configuration.
    /// - Throws: The errors of the configuration or the theme.
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
