import Findings
import SQLiteWatch
import TerminalUI
import Text

/// The watch dashboard's state.
///
/// The dashboard converts reports and input events to surfaces and actions. It does not depend on a
/// terminal or a clock, and does not take samples. The owner calls ``ingest(_:)`` for each batch of
/// reports, ``handle(_:)`` for each event (``InputEvent/resize(_:)`` first), and ``render(size:)``
/// for each frame.
package struct WatchDashboard: Sendable {
    /// The maximum number of reports that a dashboard keeps for each database.
    package static let capacity = WatchHistory.capacity

    /// A request to the owner of the dashboard.
    package enum Action: Sendable, Equatable {
        case quit
        /// Start a recording, or stop the recording in progress.
        case toggleRecording
        /// Copy text to the terminal's clipboard (OSC 52).
        case copy(String)
    }

    package var glyphs: GlyphSet
    /// The character sets that the `g` key cycles through, all supported by the terminal.
    package let glyphChoices: [GlyphSet]
    /// The themes that the `t` key cycles through.
    package let themes: [Theme]
    package internal(set) var theme: Theme
    package let keys: WatchKeys
    /// The screens, in the order of their keys.
    package let screens: [any WatchScreen.Type]
    /// The refresh rate, in frames/s.
    package internal(set) var refreshRate: Double
    /// The index of the displayed screen.
    package internal(set) var screen = 0
    package internal(set) var size = Size(width: 120, height: 40)
    /// The text to show until there is a report.
    package var placeholder: String
    /// The limitations of the search for databases, as sentences.
    package var notes: [String] = []
    /// Whether a recording is in progress.
    package var isRecording = false
    /// The keys of a replay, or `nil` for a live watch.
    package var replayKeys: ReplayKeys?
    package var isPaused: Bool { frozen != nil }
    package var paths: [String] { databases.map(\.path) }

    /// The data of each database, in the order of their first reports.
    var databases: [WatchHistory] = []
    /// The displayed data while the display is frozen.
    var frozen: [WatchHistory]?
    /// The path of the displayed database, or `nil` for the first database.
    var path: String?
    /// The index of the displayed time window in ``DashboardModel/windows``.
    var windowIndex = 1
    var overlay: Overlay?
    /// The selection, sorting, and filter of each screen.
    var views: [ListView]
    /// The result of a key press, and the time at which it was first shown, in seconds since the
    /// first report.
    var message: (text: String, isWarning: Bool, time: Double)?
    /// The time that is 0 in charts: the time of the first report or, in a replay, the start of the
    /// recording.
    var start: WatchTime?

    /// The time for which a message remains visible, in seconds.
    private static let messageSeconds = 4.0

    /// Creates a dashboard without reports.
    ///
    /// `theme` and `glyphs` are the initial values. `refreshRate` is in frames/s. If `keys` is
    /// `nil`, the default keys are used.
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

    /// Adds the reports of one interval, even while the display is frozen.
    package mutating func ingest(_ reports: [WatchReport]) {
        for report in reports {
            let start = self.start ?? report.time
            self.start = start
            let time = Double(report.time.milliseconds - start.milliseconds) / 1000
            if let index = databases.firstIndex(where: { $0.path == report.file.path }) {
                databases[index].append(report, time: time)
            } else {
                var history = WatchHistory(path: report.file.path)
                history.append(report, time: time)
                databases.append(history)
                for index in databases.indices {
                    databases[index].setBudget(WatchHistory.budget / databases.count)
                }
            }
        }
        if let message, newestTime - message.time > Self.messageSeconds { self.message = nil }
    }

    /// Shows the list of databases if the dashboard has that screen.
    package mutating func showDatabases() {
        screen = screens.firstIndex { $0 is DatabasesScreen.Type } ?? screen
    }

    /// Shows the result of a key press for a few seconds.
    package mutating func note(_ text: String, isWarning: Bool = false) {
        message = (Escaping.terminal(text), isWarning, newestTime)
    }

    /// Handles an input event and returns the actions for the program.
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

    package func render(size: Size) -> Surface { canvas(size: size).surface }

    var view: ListView {
        get { views[screen] }
        set { views[screen] = newValue }
    }

    /// The displayed data, which does not change while the display is frozen.
    var displayedDatabases: [WatchHistory] { frozen ?? databases }

    /// The index of the displayed database in ``displayedDatabases``.
    var displayedIndex: Int {
        path.flatMap { path in displayedDatabases.firstIndex { $0.path == path } } ?? 0
    }

    /// The displayed database, or `nil` before the first report.
    var history: WatchHistory? {
        displayedDatabases.indices.contains(displayedIndex)
            ? displayedDatabases[displayedIndex] : nil
    }

    /// The time of the newest report, in seconds since the first report.
    private var newestTime: Double { databases.map(\.newestTime).max() ?? 0 }

    var scene: WatchScene {
        WatchScene(
            history: history,
            databases: displayedDatabases,
            seconds: DashboardModel.windows[windowIndex],
            view: view,
            placeholder: placeholder,
            notes: notes,
            keys: keys
        )
    }

    var content: any WatchScreen { screens[screen].init(scene: scene) }

    func canvas(size: Size) -> Canvas {
        var canvas = Canvas(size: size, theme: theme, glyphs: glyphs)
        let bounds = canvas.bounds
        if size.width < TooSmallScreen.minimumSize.width
            || size.height < TooSmallScreen.minimumSize.height
        {
            TooSmallScreen().draw(on: &canvas, in: bounds)
            return canvas
        }
        let footerHeight = FooterBar.height(in: size)
        let areas = bounds.rows([1, size.height - 1 - footerHeight, footerHeight])
        WatchHeader(dashboard: self).draw(on: &canvas, in: areas[0])
        canvas.clipped(to: areas[1]) { canvas in
            if displayedDatabases.isEmpty {
                scene.drawMessage(placeholder, on: &canvas, in: areas[1])
            } else {
                content.draw(on: &canvas, in: areas[1])
            }
        }
        WatchFooter(dashboard: self).draw(on: &canvas, in: areas[2])
        if case .help(let top)? = overlay {
            WatchHelp(keys: keys, replayKeys: replayKeys, top: top).draw(on: &canvas, in: bounds)
        }
        return canvas
    }
}

extension WatchDashboard: RowInteraction {
    static let momentName = "report"

    var rowNames: [String] { content.rowNames }

    var lastHelpPageStart: Int {
        WatchHelp(keys: keys, replayKeys: replayKeys, top: 0).lastTop(in: size)
    }

    var newest: [WatchHistory] { databases }

    var newestMomentTime: Double? { history?.report == nil ? nil : history?.newestTime }

    var parts: [String] { screens[screen].parts }

    var sortableTitles: [String] { screens[screen].sortableTitles }

    var highlightsFirstRow: Bool { false }

    static func sharedCommand(for command: WatchCommand) -> DashboardCommand? {
        if case .common(let command) = command { command } else { nil }
    }

    mutating func perform(_ command: WatchCommand) -> [Action] {
        switch command {
        case .screen(let index):
            if screens.indices.contains(index) { screen = index }
        case .nextDatabase: showDatabase(by: 1)
        case .previousDatabase: showDatabase(by: -1)
        case .common(let command):
            switch command.purpose {
            case .time: performTimeCommand(command)
            case .navigation: move(command)
            case .display: return changeDisplay(command)
            case .screens, .actions: break
            }
        }
        return []
    }

    private mutating func showDatabase(by step: Int) {
        guard !displayedDatabases.isEmpty else { return }
        path =
            displayedDatabases[
                (displayedIndex + step + displayedDatabases.count) % displayedDatabases.count
            ].path
    }

    // MARK: Display

    private mutating func changeDisplay(_ command: DashboardCommand) -> [Action] {
        switch command {
        case .quit: return [.quit]
        case .record: return [.toggleRecording]
        case .slower, .faster:
            guard let rate = changeRefreshRate(command) else { return [] }
            note("refresh rate: \(HumanUnits.counted(Int(rate), "frame", "frames")) per second")
        case .copy:
            let selected = view.selected.flatMap { content.copyText(of: $0) }
            guard let text = selected ?? history?.report?.verdict.text else { return [] }
            note("copied: \(text)")
            return [.copy(text)]
        default: changeAppearance(command)
        }
        return []
    }

    mutating func expand() {
        if view.part != nil {
            view.isExpanded.toggle()
            return
        }
        let content = content
        guard let row = view.selected ?? content.rowNames.first else { return }
        switch content.destination(forRow: row) {
        case .details:
            view.selected = row
            view.isExpanded.toggle()
        case .database(let path):
            self.path = path
            screen = 0
        case .process(let label):
            guard let index = screens.firstIndex(where: { $0 is ProcessesScreen.Type }) else {
                return
            }
            screen = index
            view.selected = label
            view.part = nil
            view.isExpanded = true
        }
    }

    /// Displays the report of the displayed database that is `count` reports later.
    ///
    /// For the other databases, displays the reports nearest to the same time.
    mutating func step(by count: Int) {
        let index = displayedIndex
        if frozen == nil { frozen = databases }
        guard frozen?.indices.contains(index) == true else { return }
        frozen?[index].step(by: count)
        if let time = frozen?[index].now { go(to: time) }
    }

    /// Displays the reports nearest to a time, in seconds since the first report.
    mutating func go(to time: Double) {
        if frozen == nil { frozen = databases }
        for index in displayedDatabases.indices { frozen?[index].show(time: time) }
    }

    mutating func handle(_ key: Key, inCheckpoint choice: Int) -> [Action] {
        overlay = nil
        return []
    }
}
