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
        case .right: view.firstColumn += 1
        case .expand: view.isExpanded.toggle()
        case .filter:
            overlay = .prompt(
                PromptState(purpose: .filter(before: view.filter), text: view.filter)
            )
        case .reverse: view.isReversed.toggle()
        default: break
        }
    }

    /// The names of the rows that can be selected, in the order in which they are shown.
    var rowNames: [String] {
        switch screen {
        case .overview: shown.lanes.map(\.label)
        default: []
        }
    }

    /// Moves the selection by so many rows; the first key press selects the first row.
    mutating func select(by step: Int, among rows: [String]) {
        guard let last = rows.indices.last else { return }
        guard let selected = view.selected, let index = rows.firstIndex(of: selected) else {
            view.selected = step > 0 ? rows[0] : rows[last]
            return
        }
        view.selected = rows[min(max(index + step, 0), last)]
    }
}
