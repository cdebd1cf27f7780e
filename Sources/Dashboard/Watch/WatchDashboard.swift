import SQLiteWatch
import TerminalUI

/// The dashboard over watched databases as a value: reports, keys and mice go in, surfaces and
/// actions come out.
///
/// It knows neither terminals nor clocks, and samples nothing. Its owner calls ``ingest(_:)`` for
/// each batch of reports, ``handle(_:)`` for each event (``InputEvent/resize(_:)`` first), and
/// ``render(size:)`` for each frame.
package struct WatchDashboard: Sendable {
    /// What the dashboard asks its owner to do.
    package enum Action: Sendable, Equatable {
        /// End the program.
        case quit
        /// Put a text on the clipboard of the terminal (OSC 52).
        case copy(String)
    }

    /// The characters that pictures are made of.
    package var glyphs: GlyphSet
    /// The characters that `g` goes through: what the terminal can show.
    package let glyphChoices: [GlyphSet]
    /// The themes that `t` goes through.
    package let themes: [Theme]
    /// The theme in use.
    package internal(set) var theme: Theme
    /// The bindings of keys to commands.
    package let keys: WatchKeys
    /// The screens, in the order of their keys.
    package let screens: [any WatchScreen.Type]
    /// How often the screen should be drawn, in frames per second.
    package internal(set) var refreshRate: Double
    /// The place of the screen that is shown among ``screens``.
    package internal(set) var screen = 0
    /// The extent of the terminal.
    package internal(set) var size = Size(width: 120, height: 40)
    /// What to say while there is no database: what is searched for or waited for.
    package var placeholder: String
    /// What the search for databases cannot see, in sentences.
    package var notes: [String] = []
    /// Whether the display is frozen.
    package var isPaused: Bool { frozen != nil }
    /// The databases that are watched, by path.
    package var paths: [String] { databases.map(\.path) }

    /// What was collected of each database, in the order in which they were first seen.
    var databases: [WatchHistory] = []
    /// What is shown while the display is frozen.
    var frozen: [WatchHistory]?
    /// The path of the database that is shown; nil for the first.
    var path: String?
    /// Which of ``DashboardModel/windows`` is shown.
    var window = 1
    /// What lies over the screen.
    var overlay: Overlay?
    /// What is selected, sorted and filtered on each screen.
    var views: [ListView]
    /// What a key came to, and the time at which it was said.
    var message: (text: String, isWarning: Bool, time: Double)?
    /// The time of the first report.
    private var start: WatchTime?

    /// The seconds for which a message is shown.
    private static let messageSeconds = 4.0

    /// Creates a dashboard that has seen no report.
    ///
    /// - Parameters:
    ///   - screens: The screens, in the order of their keys.
    ///   - theme: The first theme.
    ///   - themes: The themes that `t` goes through.
    ///   - glyphs: What pictures are made of at first.
    ///   - glyphChoices: What the terminal's font and encoding can show.
    ///   - keys: The bindings of keys to commands; the shipped ones by default.
    ///   - refreshRate: How often the screen is drawn at first, in frames per second.
    ///   - placeholder: What to say while there is no database.
    package init(
        screens: [any WatchScreen.Type] = WatchScreens.standard,
        theme: Theme = .standard,
        themes: [Theme] = Theme.builtIn,
        glyphs: GlyphSet = .braille,
        glyphChoices: [GlyphSet] = GlyphSet.allCases,
        keys: WatchKeys? = nil,
        refreshRate: Double = 10,
        placeholder: String = "Waiting for the first report."
    ) {
        self.screens = screens
        self.theme = theme
        self.themes = themes
        self.glyphs = glyphs
        self.glyphChoices = glyphChoices
        self.keys = keys ?? .standard(screens)
        self.refreshRate = refreshRate
        self.placeholder = placeholder
        views = screens.map { _ in ListView() }
    }

    /// Adds the reports of one interval, one for each database; a frozen display collects them too.
    package mutating func ingest(_ reports: [WatchReport]) {
        for report in reports {
            let start = self.start ?? report.time
            self.start = start
            let time = Double(report.time.milliseconds - start.milliseconds) / 1000
            if let place = databases.firstIndex(where: { $0.path == report.file.path }) {
                databases[place].append(report, time: time)
            } else {
                var history = WatchHistory(path: report.file.path)
                history.append(report, time: time)
                databases.append(history)
                for place in databases.indices {
                    databases[place].setBudget(WatchHistory.budget / databases.count)
                }
            }
        }
        if let message, newestTime - message.time > Self.messageSeconds { self.message = nil }
    }

    /// Shows the list of databases, where there is such a screen.
    package mutating func showDatabases() {
        screen = screens.firstIndex { $0 is DatabasesScreen.Type } ?? screen
    }

    /// Shows what a key came to for some seconds.
    package mutating func note(_ text: String, isWarning: Bool = false) {
        message = (PrintableText.escaped(text), isWarning, newestTime)
    }

    /// Takes in a key, a mouse or a new size, and returns what the program has to do about it.
    package mutating func handle(_ event: InputEvent) -> [Action] {
        switch event {
        case .resize(let size):
            self.size = size
            return []
        case .mouse(let mouse):
            return handle(mouse)
        case .key(let key):
            message = nil
            if let overlay { return handle(key, in: overlay) }
            return keys.command(for: key).map { perform($0) } ?? []
        }
    }

    /// The screen, for a terminal of any size.
    package func render(size: Size) -> Surface { canvas(size: size).surface }

    /// What is selected, sorted and filtered on the screen that is shown.
    var view: ListView {
        get { views[screen] }
        set { views[screen] = newValue }
    }

    /// The databases that screens draw from.
    var shown: [WatchHistory] { frozen ?? databases }

    /// The place of the database that is shown.
    var shownPlace: Int {
        path.flatMap { path in shown.firstIndex { $0.path == path } } ?? 0
    }

    /// The database that is shown; nil before the first report.
    var history: WatchHistory? {
        shown.indices.contains(shownPlace) ? shown[shownPlace] : nil
    }

    /// The time of the newest report, in seconds since the first one.
    private var newestTime: Double { databases.map(\.newestTime).max() ?? 0 }

    /// What the screen draws from.
    var scene: WatchScene {
        WatchScene(
            history: history,
            databases: shown,
            seconds: DashboardModel.windows[window],
            view: view,
            placeholder: placeholder,
            notes: notes,
            keys: keys
        )
    }

    /// The screen that is shown, over what was collected.
    var content: any WatchScreen { screens[screen].init(scene: scene) }

    /// The screen with what lies over it, and what its cells mean to a mouse.
    func canvas(size: Size) -> Canvas {
        var canvas = Canvas(size: size, theme: theme, glyphs: glyphs)
        let bounds = canvas.bounds
        if size.width < TooSmallScreen.needed.width || size.height < TooSmallScreen.needed.height {
            TooSmallScreen().draw(on: &canvas, in: bounds)
            return canvas
        }
        let footerHeight = FooterBar.height(in: size)
        let areas = bounds.rows([1, size.height - 1 - footerHeight, footerHeight])
        WatchHeader(dashboard: self).draw(on: &canvas, in: areas[0])
        canvas.clipped(to: areas[1]) { canvas in
            if shown.isEmpty {
                scene.drawMessage(placeholder, on: &canvas, in: areas[1])
            } else {
                content.draw(on: &canvas, in: areas[1])
            }
        }
        WatchFooter(dashboard: self).draw(on: &canvas, in: areas[2])
        if case .help(let top)? = overlay {
            WatchHelp(keys: keys, top: top).draw(on: &canvas, in: bounds)
        }
        return canvas
    }
}
