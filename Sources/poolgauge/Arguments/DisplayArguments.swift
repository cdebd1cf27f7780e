import ArgumentParser
import Dashboard
import TerminalUI

/// The options of commands with a dashboard.
///
/// The parameter determines the default of `--after`.
struct DisplayArguments<Delay: PictureDelay>: ParsableArguments {
    @Option(help: "The name of a theme, or the path to its file; see 'poolgauge themes list'.")
    var theme: String?

    @Option(help: "The characters for drawing charts; by default, the best set for the locale.")
    var glyphs: GlyphSet?

    @Option(help: "The refresh rate, in frames per second; 10 by default.")
    var refresh: Double?

    @Option(help: "Write a picture to FILE.txt, FILE.ans, or FILE.svg instead of using a terminal.")
    var screenshot: String?

    @Option(
        help: "The size of the picture, in cells; 120x40 by default.",
        transform: SizeArgument.parse
    )
    var size: SizeArgument?

    @Option(
        help: ArgumentHelp(
            "How long to wait before pressing the keys of --press and taking the picture; "
                + "\(Delay.text) by default."
        ),
        transform: TimeArgument.parse
    )
    var after: TimeArgument?

    @Option(help: "Keys to press automatically, such as 'nt<Esc>?'.")
    var press: String?

    @Option(help: "Write the cost of the display (CPU, frames, bytes) to this file, as JSON.")
    var costs: String?

    var isGiven: Bool {
        theme != nil || glyphs != nil || refresh != nil || screenshot != nil || size != nil
            || after != nil || press != nil || costs != nil
    }

    /// The files that these options specify.
    var outputs: [DistinctFiles.Use] {
        [.init("--screenshot", screenshot), .init("--costs", costs)]
    }

    func validate() throws {
        if let refresh, !DashboardSettings.refreshRates.contains(refresh) {
            let range = DashboardSettings.refreshRates
            throw ValidationError(
                "--refresh must be from \(range.lowerBound) to \(Int(range.upperBound)), "
                    + "not \(refresh)"
            )
        }
        if screenshot != nil, costs != nil {
            throw ValidationError("--screenshot cannot be combined with --costs")
        }
        if size != nil, screenshot == nil {
            throw ValidationError("--size requires --screenshot")
        }
    }

    var pictureSize: Size { size?.size ?? Size(width: 120, height: 40) }

    /// Returns the user's configuration with these options applied.
    func options() throws -> DisplayOptions {
        var options = try DisplayOptions(theme: theme)
        if let glyphs { options.glyphs = glyphs }
        if let refresh { options.refreshRate = refresh }
        if let press {
            do { options.keys = try KeyScript.parse(press) } catch {
                throw CommandFailure("--press: \(error)")
            }
        }
        options.takesPicture = screenshot != nil
        let start =
            after?.duration ?? .seconds(screenshot == nil ? Delay.seconds : Delay.pictureSeconds)
        options.keysStart = start.wholeNanoseconds
        options.costs = try costs.map { try ReportDestination(path: $0, option: "--costs") }
        return options
    }
}

/// The default time before a command presses keys or takes a picture.
protocol PictureDelay {
    /// The time before a picture with `--screenshot`, in seconds.
    static var pictureSeconds: Int { get }
}

extension PictureDelay {
    /// The time without `--screenshot`, in seconds.
    static var seconds: Int { 1 }

    /// The times, for the help.
    static var text: String {
        pictureSeconds == seconds
            ? "\(seconds)s" : "\(seconds)s, or \(pictureSeconds)s with --screenshot,"
    }
}

enum RunDelay: PictureDelay {
    static let pictureSeconds = 10
}

enum WatchDelay: PictureDelay {
    /// Enough time for the lanes to contain data.
    static let pictureSeconds = 5
}

enum ReplayDelay: PictureDelay {
    /// Enough time to decode the history.
    static let pictureSeconds = 1
}

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
