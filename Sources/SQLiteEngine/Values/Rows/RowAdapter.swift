/// A type that renames, selects, or groups the columns of rows.
///
/// ```swift
/// let adapter = ScopeAdapter(["team": SuffixRowAdapter(fromIndex: 3)])
/// let row = try Row.fetchOne(db, sql: "SELECT 1, 2, 3, 4 AS id", adapter: adapter)
/// let team = row?.scopes["team"]
/// ```
public protocol RowAdapter: Sendable {
    /// Returns the columns that the adapter creates.
    ///
    /// - Parameter base: The statement's columns, or the columns that another adapter creates.
    /// - Returns: The columns of the adapted rows.
    /// - Throws: `SQLITE_MISUSE` if `base` does not contain a required column.
    func layout(from base: RowLayout) throws -> RowLayout
}

extension RowAdapter {
    /// Returns an adapter that creates the same columns, with additional scopes.
    public func addingScopes(_ scopes: [String: any RowAdapter]) -> any RowAdapter {
        scopes.isEmpty ? self : ScopeAdapter(base: self, scopes: scopes)
    }
}

/// An adapter that removes all columns.
public struct EmptyRowAdapter: RowAdapter {
    /// Creates the adapter.
    public init() {}

    /// Returns no columns.
    public func layout(from base: RowLayout) -> RowLayout { RowLayout(columns: [], of: base) }
}

/// An adapter that selects columns by name and renames them.
public struct ColumnMapping: RowAdapter {
    private let mapping: [String: String]

    /// Creates an adapter from a dictionary that maps new names to old names.
    public init(_ mapping: [String: String]) {
        self.mapping = mapping
    }

    /// Returns the selected columns, in the order of `base`.
    public func layout(from base: RowLayout) throws -> RowLayout {
        let columns = try mapping.map { name, baseName in
            guard let index = base.index(ofColumn: baseName) else {
                throw DatabaseError.misuse(
                    """
                    Mapping references missing column \(baseName). \
                    Valid column names are: \(base.names.joined(separator: ", ")).
                    """
                )
            }
            return (index: index, name: name)
        }
        return RowLayout(
            columns: columns.sorted { ($0.index, $0.name) < ($1.index, $1.name) },
            of: base
        )
    }
}

/// An adapter that selects all columns starting at an index.
public struct SuffixRowAdapter: RowAdapter {
    private let index: Int

    /// Creates an adapter that selects all columns starting at `index`.
    public init(fromIndex index: Int) {
        requirement(index >= 0, "column index out of range: \(index)")
        self.index = index
    }

    /// Returns all columns starting at the index.
    public func layout(from base: RowLayout) throws -> RowLayout {
        try RangeRowAdapter(index..<Swift.max(index, base.count)).layout(from: base)
    }
}

/// An adapter that selects a range of columns.
public struct RangeRowAdapter: RowAdapter {
    private let range: Range<Int>

    /// Creates an adapter that selects a range of columns.
    public init(_ range: CountableRange<Int>) {
        requirement(range.lowerBound >= 0, "column index out of range: \(range.lowerBound)")
        self.range = range
    }

    /// Creates an adapter that selects a range of columns.
    public init(_ range: CountableClosedRange<Int>) {
        self.init(range.lowerBound..<range.upperBound + 1)
    }

    /// Returns the columns of the range.
    public func layout(from base: RowLayout) throws -> RowLayout {
        guard range.upperBound <= base.count || range.isEmpty else {
            throw DatabaseError.misuse(
                """
                the row adapter selects columns \(range.lowerBound) to \
                \(range.upperBound - 1), but there are only \(base.count)
                """
            )
        }
        return RowLayout(columns: range.map { ($0, base.names[$0]) }, of: base)
    }
}

/// An adapter that creates named rows from parts of a row.
public struct ScopeAdapter: RowAdapter {
    private let base: any RowAdapter
    private let scopes: [String: any RowAdapter]

    /// Creates an adapter that keeps the columns and adds scopes.
    public init(_ scopes: [String: any RowAdapter]) {
        self.init(base: SuffixRowAdapter(fromIndex: 0), scopes: scopes)
    }

    /// Creates an adapter that adds scopes to another adapter.
    ///
    /// The base adapter and the scopes adapt the same columns.
    public init(base: some RowAdapter, scopes: [String: any RowAdapter]) {
        self.base = base
        self.scopes = scopes
    }

    /// Returns the columns of the base adapter, with the scopes.
    public func layout(from base: RowLayout) throws -> RowLayout {
        let layout = try self.base.layout(from: base)
        let added = try scopes.mapValues { try $0.layout(from: base) }
        return layout.with(scopes: layout.scopes.merging(added) { $1 })
    }
}

/// An adapter that renames columns.
public struct RenameColumnAdapter: RowAdapter {
    private let transform: @Sendable (String) -> String

    /// Creates an adapter that derives each new name from the old name.
    public init(_ transform: @escaping @Sendable (String) -> String) {
        self.transform = transform
    }

    /// Returns the same columns with their new names.
    public func layout(from base: RowLayout) -> RowLayout {
        RowLayout(columns: base.names.enumerated().map { ($0, transform($1)) }, of: base)
    }
}

/// Returns adapters that split a row into parts.
///
/// - Parameter columnCounts: The number of columns of each part, from left to right.
/// - Returns: An adapter for each part, and an adapter for the remaining columns.
public func splittingRowAdapters(columnCounts: [Int]) -> [any RowAdapter] {
    var start = 0
    var adapters: [any RowAdapter] = []
    for count in columnCounts {
        adapters.append(RangeRowAdapter(start..<start + count))
        start += count
    }
    return adapters + [SuffixRowAdapter(fromIndex: start)]
}

struct ChainedAdapter: RowAdapter {
    let first: any RowAdapter
    let second: any RowAdapter

    func layout(from base: RowLayout) throws -> RowLayout {
        try second.layout(from: first.layout(from: base))
    }
}
