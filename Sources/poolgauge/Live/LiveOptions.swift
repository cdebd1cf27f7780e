import Dashboard
import TerminalUI

/// How the dashboard is shown.
struct LiveOptions {
    /// The arm that runs first; the scenario's first by default.
    var arm: String?
    /// Whether the next arm follows by itself when one has run to its end.
    var goesOn = false
    /// Whether the program ends when the arm has run to its end.
    var endsWithRun = false
    /// The theme to begin with.
    var theme = Theme.standard
    /// The themes that `t` goes through.
    var themes = Theme.builtIn
    /// nil for what the locale's encoding can show.
    var glyphs: GlyphSet?
    /// Frames a second.
    var refreshRate = DashboardSettings.standardRefreshRate
    /// Whether the mouse is for the dashboard.
    var usesMouse = true
    /// Which key asks for what.
    var keyTable = DashboardKeys.standard
    /// Keys that are pressed without a person.
    var keys: [Key] = []
    /// When the first of them is pressed, in nanoseconds since the load began.
    var keysStart: UInt64 = 1_000_000_000
    /// Whether a picture ends it.
    var takesPicture = false
    /// The file that receives the report; nil for one line for each arm on standard output.
    var report: ReportDestination?
    /// How it is written.
    var format = ReportFormat.text
    /// The file that receives what the display used.
    var costs: ReportDestination?

    /// What somebody set in their configuration, and their themes.
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
        keyTable = try DashboardKeys(changing: settings.keys)
    }
}
