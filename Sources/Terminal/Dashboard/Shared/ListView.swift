import TerminalUI
import Text

/// The selection, sorting, and filter of a screen.
struct ListView: Sendable, Equatable {
    /// The name of the selected row.
    var selected: String?
    /// The title of the sort column, or `nil` for the natural order.
    var sortColumn: String?
    var isReversed = false
    /// The text that rows must contain.
    var filter = ""
    var isExpanded = false
    /// The number of hidden columns after the first column.
    var hiddenColumnCount = 0
    /// The index of the part of an access that the latency screen shows.
    ///
    /// The index is not limited to the number of parts. It wraps around.
    var focus = 0
    /// The index of the selected part in ``RunScreen/parts``.
    var part: Int?
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
