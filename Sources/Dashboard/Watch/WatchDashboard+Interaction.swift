import SQLiteWatch
import TerminalUI
import Text

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
