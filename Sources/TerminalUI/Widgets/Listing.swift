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
            _ width: Int,
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
