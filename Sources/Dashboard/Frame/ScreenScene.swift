import TerminalUI

/// The input of a screen: the data, the time window and the user's selection.
struct ScreenScene: Sendable {
    let history: History
    /// The time window of lanes and charts, in seconds.
    let seconds: Double
    let view: ListView
    /// The keys to mention in hints.
    var keys = DashboardKeys.standard

    /// The index of the expanded part in ``DashboardScreen/parts``, or `nil` to show all parts.
    var expandedPart: Int? { view.isExpanded ? view.part : nil }

    /// Marks the panel in a rectangle if its part is selected.
    func markPart(_ part: Int, on canvas: inout Canvas, _ rect: Rect) {
        if view.part == part { canvas.focus(rect) }
    }
}

extension Listing {
    func arranged(_ items: [Item], _ view: ListView) -> [Item] {
        arranged(
            items,
            filter: view.filter,
            sort: view.sortColumn,
            isReversed: view.isReversed
        )
    }

    func table(_ arranged: [Item], _ view: ListView, theme: Theme, width: Int) -> Table {
        var table = table(
            arranged,
            theme: theme,
            selected: view.selected,
            sort: view.sortColumn,
            isReversed: view.isReversed
        )
        table.firstColumn = min(view.firstColumn, table.lastFirstColumn(in: width))
        return table
    }
}

extension ListView {
    /// Returns a remark about hidden rows, such as `filter "ui": 3 of 12`.
    func remark(shown: Int, of count: Int) -> String {
        filter.isEmpty ? "" : "filter \"\(filter)\": \(shown) of \(count)"
    }
}
