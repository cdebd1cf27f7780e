import TerminalUI

/// What a screen draws from: what was collected, how much of it, and what somebody selected.
struct ScreenScene: Sendable {
    /// What was collected.
    let history: History
    /// The seconds that lanes and charts show.
    let seconds: Double
    /// What is selected, sorted and filtered.
    let view: ListView
    /// The keys, for what screens say of them.
    var keys = DashboardKeys.standard

    /// The part that fills the screen, by its place in ``DashboardScreen/parts``; nil for all.
    var expandedPart: Int? { view.isExpanded ? view.part : nil }

    /// Marks the panel in a rectangle if it is the part that somebody chose.
    func markPart(_ part: Int, on canvas: inout Canvas, _ rect: Rect) {
        if view.part == part { canvas.focus(rect) }
    }
}

extension Listing {
    /// The things that a screen lists, in the order in which it shows them.
    func arranged(_ items: [Item], _ view: ListView) -> [Item] {
        arranged(
            items,
            filter: view.filter,
            sort: view.sortColumn,
            isReversed: view.isReversed
        )
    }

    /// The table of a screen.
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
    /// How a panel says what is hidden: `filter "ui": 3 of 12`.
    func remark(shown: Int, of count: Int) -> String {
        filter.isEmpty ? "" : "filter \"\(filter)\": \(shown) of \(count)"
    }
}
