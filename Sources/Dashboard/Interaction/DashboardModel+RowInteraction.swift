import TerminalUI

extension DashboardModel: RowInteraction {
    static let momentName = "sample"

    var lastHelpPageStart: Int {
        KeyHelp(keys: keys, program: program, replayKeys: replayKeys, top: 0).lastTop(in: size)
    }

    var newest: History { history }

    var newestMomentTime: Double? {
        displayedHistory.displayedSample == nil ? nil : displayedHistory.newestTime
    }

    var parts: [String] { screen.parts }

    var sortableTitles: [String] {
        switch screen {
        case .connections: ConnectionList.listing.sortableTitles
        case .waiters: WaiterList.listing.sortableTitles
        case .snapshots: SnapshotList.listing.sortableTitles
        default: []
        }
    }

    var highlightsFirstRow: Bool { [.latency, .compare, .workload].contains(screen) }

    static func sharedCommand(for command: DashboardCommand) -> DashboardCommand? { command }

    mutating func step(by samples: Int) {
        if frozen == nil { frozen = history }
        frozen?.step(by: samples)
    }

    mutating func go(to time: Double) {
        if frozen == nil { frozen = history }
        frozen?.show(time: time)
    }

    /// Expands the selected part or row, or shows the whole screen again.
    mutating func expand() {
        guard screen == .overview, view.part == nil else {
            view.isExpanded.toggle()
            return
        }
        guard let selected = view.selected else {
            let tab = keys.key(for: .focusNext).map { "\($0.label) selects a panel" }
            let hint = [tab, "arrows select a connection"].compactMap(\.self)
            note("nothing is selected: " + hint.joined(separator: ", "), severity: .warning)
            return
        }
        screen = .connections
        view.selected = selected
        view.part = nil
        view.isExpanded = true
    }

    var rowNames: [String] {
        let scene = ScreenScene(
            history: displayedHistory,
            seconds: Self.windows[windowIndex],
            view: view
        )
        return switch screen {
        case .overview: displayedHistory.lanes.map(\.label)
        case .connections: ConnectionsScreen(scene: scene).lanes.map(\.label)
        case .waiters: WaitersScreen(scene: scene).waiting.map(\.name)
        case .snapshots: SnapshotsScreen(scene: scene).snapshots.map(\.status.label)
        case .latency: LatencyScreen(scene: scene).seriesNames
        case .compare: CompareScreen(scene: scene).metricTitles
        case .workload:
            displayedHistory.displayedSample.map { LoadSetting.all(in: $0).map(\.name) } ?? []
        }
    }
}
