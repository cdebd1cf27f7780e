import TerminalUI

extension DashboardModel {
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
        case .expand: expand()
        case .filter:
            guard [.connections, .waiters, .snapshots].contains(screen) else { return }
            overlay = .prompt(
                PromptState(purpose: .filter(before: view.filter), text: view.filter)
            )
        case .sort: sortByNext()
        case .reverse: view.isReversed.toggle()
        case .focusNext: focus(by: 1)
        case .focusPrevious: focus(by: -1)
        default: break
        }
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

    /// Selects another part of the screen.
    ///
    /// After the last part, the whole screen is selected.
    private mutating func focus(by step: Int) {
        let count = screen.parts.count
        guard count > 0 else {
            view.focus += step
            return
        }
        let partCount = count + 1
        let next = ((view.part ?? count) + step + partCount) % partCount
        view.part = next < count ? next : nil
        if view.part == nil { view.isExpanded = false }
    }

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

    /// Moves the selection by a number of rows.
    ///
    /// Without a selection, the first key press selects the first or last row, unless the screen
    /// already highlights a row.
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

    /// Sorts by the next sortable column.
    ///
    /// After the last column, the natural order is restored.
    private mutating func sortByNext() {
        let titles: [String] =
            switch screen {
            case .connections: ConnectionList.listing.sortableTitles
            case .waiters: WaiterList.listing.sortableTitles
            case .snapshots: SnapshotList.listing.sortableTitles
            default: []
            }
        guard !titles.isEmpty else { return }
        let position = view.sortColumn.flatMap { titles.firstIndex(of: $0) } ?? -1
        view.sortColumn = position + 1 < titles.count ? titles[position + 1] : nil
        view.isReversed = false
    }
}
