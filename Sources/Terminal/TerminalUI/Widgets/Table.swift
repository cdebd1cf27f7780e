/// Rows of text with column titles and an optional selected row.
///
/// If the table is too narrow, columns with low priority are omitted, and the user can scroll to
/// them. The first column is always visible. If there are too many rows, they scroll to keep the
/// selection visible.
package struct Table: Sendable {
    package struct Column: Sendable {
        /// The title, which is also a mouse target.
        package var title: String
        package var alignment: Alignment
        /// The layout of the width.
        ///
        /// The ideal length fits the text.
        package var track: Track
        package var isSortable: Bool

        package init(
            title: String,
            alignment: Alignment = .leading,
            track: Track,
            isSortable: Bool = false
        ) {
            self.title = title
            self.alignment = alignment
            self.track = track
            self.isSortable = isSortable
        }
    }

    package var columns: [Column]
    /// The rows, each with one span for each column.
    package var rows: [[Span]]
    /// The row names for the mouse and the selection, or an empty array if rows are not selectable.
    package var names: [String] = []
    /// The name of the selected row.
    package var selected: String?
    /// The title of the sort column, and whether the order is descending.
    package var sort: (title: String, isDescending: Bool)?
    /// The number of hidden columns after the first column.
    package var hiddenColumnCount = 0
    /// The number of empty cells between two columns.
    package var spacing = 2

    package init(columns: [Column], rows: [[Span]]) {
        self.columns = columns
        self.rows = rows
    }

    /// Returns the column widths for a table width, or 0 for omitted columns.
    package func widths(in width: Int) -> [Int] {
        guard hiddenColumnCount > 0, columns.count > 1 else {
            return Track.lengths(of: columns.map(\.track), available: width, spacing: spacing)
        }
        let hiddenCount = min(hiddenColumnCount, columns.count - 2)
        var remaining = width
        return columns.indices.map { index in
            guard index == 0 || index > hiddenCount, remaining > 0 else { return 0 }
            let track = columns[index].track
            let preferred = index == columns.count - 1 ? max(track.ideal, remaining) : track.ideal
            let length = min(preferred, remaining, max(track.maximum, 1))
            remaining -= length + spacing
            return length >= min(track.minimum, 4) ? length : 0
        }
    }

    /// Returns the largest useful value of ``hiddenColumnCount``.
    package func maximumHiddenColumnCount(in width: Int) -> Int {
        var candidate = self
        for first in 0..<max(columns.count - 1, 1) {
            candidate.hiddenColumnCount = first
            if let last = candidate.widths(in: width).last, last > 0, first > 0 { return first }
            if first == 0, !candidate.widths(in: width).contains(0) { return 0 }
        }
        return max(0, columns.count - 2)
    }

    /// Draws the titles and the rows that fit.
    ///
    /// The last row shows the number of hidden rows.
    package func draw(on canvas: inout Canvas, in rect: Rect) {
        guard rect.height > 0 else { return }
        let cells = rect.columns(widths(in: rect.width), spacing: spacing)
        drawTitles(on: &canvas, cells)
        let room = rect.height - 1
        let fitsCompletely = rows.count <= room
        let shown = fitsCompletely ? rows.count : max(0, room - 1)
        let first = fitsCompletely ? 0 : firstRowIndex(showing: shown)
        for index in 0..<shown {
            let rowIndex = first + index
            let area = Rect(x: rect.minX, y: rect.minY + index + 1, width: rect.width, height: 1)
            draw(rows[rowIndex], on: &canvas, cells: cells.map { $0.row(index + 1) })
            guard names.indices.contains(rowIndex) else { continue }
            canvas.mark(area, as: .row(names[rowIndex]))
            if names[rowIndex] == selected { canvas.select(area) }
        }
        if shown < rows.count, room > 0 {
            let below = rows.count - shown - first
            let text =
                first == 0
                ? "and \(below) more"
                : below == 0 ? "\(first) above" : "\(first) above, \(below) below"
            canvas.write(
                text,
                x: rect.minX,
                y: rect.minY + shown + 1,
                style: canvas.theme.style(.dim),
                limit: rect.width
            )
        }
    }

    /// Returns the index of the first row to show, which places the selected row in the middle if
    /// possible.
    private func firstRowIndex(showing shown: Int) -> Int {
        guard let selected, let rowIndex = names.firstIndex(of: selected) else { return 0 }
        return min(max(rowIndex - shown / 2, 0), rows.count - shown)
    }

    private func drawTitles(on canvas: inout Canvas, _ cells: [Rect]) {
        for (column, cell) in zip(columns, cells) where cell.width > 0 {
            let row = cell.row(0)
            guard sort?.title == column.title, let sort else {
                let style = canvas.theme.style(.dim)
                canvas.write(column.title, in: row, style: style, alignment: column.alignment)
                if column.isSortable { canvas.mark(row, as: .column(column.title)) }
                continue
            }
            let isASCII = canvas.glyphs == .ascii
            let mark = sort.isDescending ? (isASCII ? "v" : "▼") : (isASCII ? "^" : "△")
            let title = column.alignment == .trailing ? mark + column.title : column.title + mark
            let style = canvas.theme.bold(.title)
            canvas.write(title, in: row, style: style, alignment: column.alignment)
            canvas.mark(row, as: .column(column.title))
        }
    }

    private func draw(_ row: [Span], on canvas: inout Canvas, cells: [Rect]) {
        for (column, (span, cell)) in zip(columns, zip(row, cells)) where cell.width > 0 {
            canvas.write(span.text, in: cell, style: span.style, alignment: column.alignment)
        }
    }
}

extension Canvas {
    /// Marks a row as selected with bold text and a raised background.
    ///
    /// A mark on the left is visible without colors.
    package mutating func select(_ row: Rect) {
        let mark = glyphs == .ascii ? ">" : "▶"
        put(mark, x: row.minX - 1, y: row.minY, style: theme.bold(.accent))
        let background = theme.color(.raised)
        let area = row.intersection(clip)
        for x in area.minX..<max(area.minX, area.maxX) {
            restyle(x: x, y: area.minY) { style in
                style.background = background
                style.attributes.insert(.bold)
            }
        }
    }
}

/// A list of items in sortable columns with a filter.
package struct Listing<Item: Sendable>: Sendable {
    /// The sort key of a row.
    package enum Rank: Comparable, Sendable {
        /// A number.
        ///
        /// Larger numbers come first.
        case number(Double)
        /// Text in alphabetical order.
        case text(String)
    }

    package struct Column: Sendable {
        package var column: Table.Column
        /// A closure that returns the cell of an item.
        package var cell: @Sendable (Item, Theme) -> Span
        /// A closure that returns an item's sort key, or `nil` if the column is not sortable.
        package var rank: (@Sendable (Item) -> Rank)?

        package init(
            _ title: String,
            _ track: Track,
            alignment: Alignment = .leading,
            rank: (@Sendable (Item) -> Rank)? = nil,
            cell: @escaping @Sendable (Item, Theme) -> Span
        ) {
            column = Table.Column(
                title: title,
                alignment: alignment,
                track: track,
                isSortable: rank != nil
            )
            self.cell = cell
            self.rank = rank
        }

        /// Creates a right-aligned column of a fixed width that is sorted by a number.
        package static func number(
            _ title: String,
            width: Int,
            priority: Int,
            _ value: @escaping @Sendable (Item) -> Double,
            cell: @escaping @Sendable (Item, Theme) -> Span
        ) -> Self {
            Self(
                title,
                .fixed(width, priority: priority),
                alignment: .trailing,
                rank: { .number(value($0)) },
                cell: cell
            )
        }
    }

    /// The columns, which must have unique titles.
    package var columns: [Column]
    /// A closure that returns the unique name of an item.
    package var name: @Sendable (Item) -> String
    /// A closure that returns additional text for the filter.
    package var details: @Sendable (Item) -> String

    package init(
        columns: [Column],
        name: @escaping @Sendable (Item) -> String,
        details: @escaping @Sendable (Item) -> String = { _ in "" }
    ) {
        self.columns = columns
        self.name = name
        self.details = details
    }

    package var sortableTitles: [String] {
        columns.filter { $0.rank != nil }.map(\.column.title)
    }

    /// Filters and sorts items.
    ///
    /// - Parameters:
    ///   - items: The items in their natural order. The sort is stable.
    ///   - filter: The text that a column or the details must contain, ignoring case. Empty text
    ///     matches all items.
    ///   - sort: The title of a column, or `nil` for the natural order.
    ///   - isReversed: Whether to reverse the order.
    /// - Returns: The matching items, in display order.
    package func arranged(
        _ items: [Item],
        filter: String,
        sort: String?,
        isReversed: Bool
    ) -> [Item] {
        var items = items
        if !filter.isEmpty {
            let searchText = filter.lowercased()
            items = items.filter { item in
                details(item).lowercased().contains(searchText)
                    || columns.contains {
                        $0.cell(item, .standard).text.lowercased().contains(searchText)
                    }
            }
        }
        guard let sort, let rank = columns.first(where: { $0.column.title == sort })?.rank else {
            return isReversed ? items.reversed() : items
        }
        let ranked = items.enumerated().map { (offset: $0.offset, rank: rank($0.element)) }
        let sorted = ranked.sorted { lhs, rhs in
            guard lhs.rank != rhs.rank else { return lhs.offset < rhs.offset }
            return Self.isBefore(lhs.rank, rhs.rank) != isReversed
        }
        return sorted.map { items[$0.offset] }
    }

    private static func isBefore(_ lhs: Rank, _ rhs: Rank) -> Bool {
        if case .text = lhs { return lhs < rhs }
        return rhs < lhs
    }

    package func table(
        _ items: [Item],
        theme: Theme,
        selected: String?,
        sort: String?,
        isReversed: Bool
    ) -> Table {
        var table = Table(
            columns: columns.map(\.column),
            rows: items.map { item in columns.map { $0.cell(item, theme) } }
        )
        table.names = items.map(name)
        table.selected = selected
        if let sort, let column = columns.first(where: { $0.column.title == sort }) {
            var isText = false
            if let item = items.first, case .text? = column.rank?(item) { isText = true }
            table.sort = (sort, isText == isReversed)
        }
        return table
    }
}
