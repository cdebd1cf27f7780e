import TerminalUI

extension DashboardModel {
    /// Moves the selection, and opens, sorts or filters what the screen lists.
    mutating func move(_ command: DashboardCommand) {
        let rows = rowNames
        let page = max(1, size.height - 8)
        switch command {
        case .up: select(by: -1, among: rows)
        case .down: select(by: 1, among: rows)
        case .pageUp: select(by: -page, among: rows)
        case .pageDown: select(by: page, among: rows)
        case .first: view.selected = rows.first
        case .last: view.selected = rows.last
        case .left: view.firstColumn = max(0, view.firstColumn - 1)
        case .right: view.firstColumn = min(view.firstColumn + 1, 16)
        case .expand: view.isExpanded.toggle()
        case .filter:
            guard [.connections, .waiters, .snapshots].contains(screen) else { return }
            overlay = .prompt(
                PromptState(purpose: .filter(before: view.filter), text: view.filter)
            )
        case .sort: sortByNext()
        case .reverse: view.isReversed.toggle()
        case .focusNext: view.focus += 1
        case .focusPrevious: view.focus -= 1
        default: break
        }
    }

    /// The names of the rows that can be selected, in the order in which they are shown.
    var rowNames: [String] {
        let scene = ScreenScene(history: shown, seconds: Self.windows[window], view: view)
        return switch screen {
        case .overview: shown.lanes.map(\.label)
        case .connections: ConnectionsScreen(scene: scene).lanes.map(\.label)
        case .waiters: WaitersScreen(scene: scene).waiting.map(\.name)
        case .snapshots: SnapshotsScreen(scene: scene).snapshots.map(\.status.label)
        case .latency: LatencyScreen(scene: scene).names
        case .compare: CompareScreen(scene: scene).names
        case .workload: shown.latest.map { Knob.all(in: $0).map(\.name) } ?? []
        }
    }

    /// Moves the selection by so many rows.
    ///
    /// Where nothing is selected the first key press selects the first row, unless that is shown as
    /// selected already.
    mutating func select(by step: Int, among rows: [String]) {
        guard let last = rows.indices.last else { return }
        var index = view.selected.flatMap { rows.firstIndex(of: $0) }
        if index == nil, screen == .latency || screen == .compare || screen == .workload {
            index = 0
        }
        guard let index else {
            view.selected = step > 0 ? rows[0] : rows[last]
            return
        }
        view.selected = rows[min(max(index + step, 0), last)]
    }

    /// Sorts by the next column that rows can be sorted by, and in the end not at all.
    private mutating func sortByNext() {
        let titles: [String] =
            switch screen {
            case .connections: ConnectionList.listing.sortableTitles
            case .waiters: WaiterList.listing.sortableTitles
            case .snapshots: SnapshotList.listing.sortableTitles
            default: []
            }
        guard !titles.isEmpty else { return }
        let place = view.sortColumn.flatMap { titles.firstIndex(of: $0) } ?? -1
        view.sortColumn = place + 1 < titles.count ? titles[place + 1] : nil
        view.isReversed = false
    }
}
