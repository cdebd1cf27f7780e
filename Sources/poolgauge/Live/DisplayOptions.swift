import Dashboard
import TerminalUI

/// How a display looks, and what it does without a person.
struct DisplayOptions {
    /// The theme that is used first.
    var theme = Theme.standard
    /// The themes that `t` goes through.
    var themes = Theme.builtIn
    /// nil for what the locale's encoding can show.
    var glyphs: GlyphSet?
    /// Frames per second.
    var refreshRate = DashboardSettings.standardRefreshRate
    /// Whether the mouse belongs to the display.
    var usesMouse = true
    /// The bindings that differ from the shipped ones.
    var keyChanges: [DashboardCommand: [Key]] = [:]
    /// Keys that are pressed without a person.
    var keys: [Key] = []
    /// When the first of them is pressed, in nanoseconds since there is something to show.
    var keysStart: UInt64 = 1_000_000_000
    /// Whether a picture ends the display.
    var takesPicture = false
    /// The file that receives what the display used.
    var costs: ReportDestination?

    /// Reads the configuration, and the themes.
    ///
    /// - Parameters:
    ///   - theme: The theme that the command line names; the configuration's by default.
    ///   - folder: Where the configuration is.
    /// - Throws: What is wrong with it.
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
