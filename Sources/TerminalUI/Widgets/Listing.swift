/// Things in a table: which of them are shown, in which order, and what each column says of them.
package struct Listing<Item: Sendable>: Sendable {
    /// What rows are sorted by.
    package enum Rank: Comparable, Sendable {
        /// By a number, the largest first.
        case number(Double)
        /// By a text, the alphabet's first first.
        case text(String)
    }

    /// One column.
    package struct Column: Sendable {
        /// How the table draws it.
        package var column: Table.Column
        /// What it says of a thing, in a theme.
        package var cell: @Sendable (Item, Theme) -> Span
        /// What things are sorted by it; nil where they are not.
        package var rank: (@Sendable (Item) -> Rank)?

        /// Creates a column.
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
    }

    /// The columns; their titles differ.
    package var columns: [Column]
    /// What names a thing.
    package var name: @Sendable (Item) -> String
    /// What a filter searches beside the columns.
    package var details: @Sendable (Item) -> String

    /// Creates a listing.
    package init(
        columns: [Column],
        name: @escaping @Sendable (Item) -> String,
        details: @escaping @Sendable (Item) -> String = { _ in "" }
    ) {
        self.columns = columns
        self.name = name
        self.details = details
    }

    /// The titles of the columns that things can be sorted by.
    package var sortableTitles: [String] {
        columns.filter { $0.rank != nil }.map(\.column.title)
    }

    /// The things that contain a text in one of their columns or in their details, sorted by a
    /// column.
    ///
    /// - Parameters:
    ///   - items: The things, in their natural order, which equal ones keep.
    ///   - filter: What they must contain, whatever its case; everything contains "".
    ///   - sort: The title of a column; nil for the natural order.
    ///   - isReversed: Whether the order is turned around.
    /// - Returns: The things that are shown, in the order in which they are.
    package func arranged(
        _ items: [Item],
        filter: String,
        sort: String?,
        isReversed: Bool
    ) -> [Item] {
        var items = items
        if !filter.isEmpty {
            let wanted = filter.lowercased()
            items = items.filter { item in
                details(item).lowercased().contains(wanted)
                    || columns.contains {
                        $0.cell(item, .standard).text.lowercased().contains(wanted)
                    }
            }
        }
        guard let sort, let rank = columns.first(where: { $0.column.title == sort })?.rank else {
            return isReversed ? items.reversed() : items
        }
        let ranked = items.enumerated().map { (offset: $0.offset, rank: rank($0.element)) }
        let sorted = ranked.sorted { one, other in
            guard one.rank != other.rank else { return one.offset < other.offset }
            return Self.isBefore(one.rank, other.rank) != isReversed
        }
        return sorted.map { items[$0.offset] }
    }

    private static func isBefore(_ one: Rank, _ other: Rank) -> Bool {
        if case .text = one { return one < other }
        return other < one
    }

    /// The table of things that are arranged already.
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
