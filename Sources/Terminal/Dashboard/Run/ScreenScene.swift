import SQLiteWatch
import TerminalUI
import Text

/// The input of a screen: the data, the time window, and the user's selection.
struct ScreenScene: Sendable {
    let history: History
    /// The time window of lanes and charts, in seconds.
    let seconds: Double
    let view: ListView
    /// The keys to mention in hints.
    var keys = DashboardKeys.standard
    /// Requested values of settings that no sample has confirmed yet, keyed by setting name.
    var requestedSettings: [String: Double] = [:]

    /// The index of the expanded part in ``RunScreen/parts``, or `nil` to show all parts.
    var expandedPart: Int? { view.isExpanded ? view.part : nil }

    /// Marks the panel in a rectangle if its part is selected.
    func markPart(_ part: Int, on canvas: inout Canvas, in rect: Rect) {
        if view.part == part { canvas.focus(rect) }
    }
}

extension Listing {
    func arranged(_ items: [Item], view: ListView) -> [Item] {
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
        table.hiddenColumnCount = min(
            view.hiddenColumnCount,
            table.maximumHiddenColumnCount(in: width)
        )
        return table
    }
}

extension Listing {
    /// Draws a panel with the items that match the filter.
    ///
    /// A remark about hidden rows replaces the panel's remark.
    ///
    /// - Parameters:
    ///   - items: All items, in their natural order.
    ///   - view: The selection, sorting, and filter.
    ///   - panel: The panel to draw.
    ///   - item: The name of an item, such as `pin`.
    ///   - placeholder: The text to show if there are no items.
    ///   - wrapsPlaceholder: Whether the text may wrap onto several lines.
    ///   - canvas: The canvas to draw on.
    ///   - rect: The rectangle of the panel.
    func draw(
        _ items: [Item],
        view: ListView,
        in panel: Panel,
        item: String,
        placeholder: String,
        wrapsPlaceholder: Bool = false,
        on canvas: inout Canvas,
        in rect: Rect
    ) {
        let shown = arranged(items, view: view)
        let hidden = view.remark(shown: shown.count, of: items.count)
        var panel = panel
        if !hidden.isEmpty { panel.remark = hidden }
        let inner = panel.draw(on: &canvas, in: rect)
        guard shown.isEmpty else {
            return table(shown, view, theme: canvas.theme, width: inner.width)
                .draw(on: &canvas, in: inner)
        }
        let text = items.isEmpty ? placeholder : "no \(item) matches the filter"
        let lines =
            wrapsPlaceholder
            ? TextWrapping.lines(of: Escaping.terminal(text), width: max(1, inner.width))
            : [text]
        for (index, line) in lines.prefix(inner.height).enumerated() {
            let style = canvas.theme.style(.dim)
            canvas.write(line, in: inner.row(index), style: style, alignment: .leading)
        }
    }
}

extension ListView {
    /// Returns a remark about hidden rows, such as `filter "ui": 3 of 12`.
    func remark(shown: Int, of count: Int) -> String {
        filter.isEmpty ? "" : "filter \"\(filter)\": \(shown) of \(count)"
    }
}

extension ScreenScene {
    /// Makes a chart that spans ``seconds`` clickable, and marks the displayed moment if it is not
    /// the newest.
    func markTime(on canvas: inout Canvas, in rect: Rect) {
        history.markTime(seconds, on: &canvas, in: rect)
    }
}
