/// Presents the columns of rows under other names, in part, or grouped in scopes.
///
/// ```swift
/// let adapter = ScopeAdapter(["team": SuffixRowAdapter(fromIndex: 3)])
/// let row = try Row.fetchOne(db, sql: "SELECT 1, 2, 3, 4 AS id", adapter: adapter)
/// let team = row?.scopes["team"]
/// ```
public protocol RowAdapter: Sendable {
    /// The columns that the adapter makes of others.
    ///
    /// - Parameter base: The columns of the statement, or those that another adapter made.
    /// - Returns: The columns of the adapted rows.
    /// - Throws: `SQLITE_MISUSE` when `base` lacks a column.
    func layout(from base: RowLayout) throws -> RowLayout
}

extension RowAdapter {
    /// The same columns, with scopes.
    public func addingScopes(_ scopes: [String: any RowAdapter]) -> any RowAdapter {
        scopes.isEmpty ? self : ScopeAdapter(base: self, scopes: scopes)
    }
}

/// Leaves no column.
public struct EmptyRowAdapter: RowAdapter {
    /// Creates the adapter.
    public init() {}

    /// No columns.
    public func layout(from base: RowLayout) -> RowLayout { RowLayout(columns: [], of: base) }
}

/// Picks columns by name, and gives them other names.
public struct ColumnMapping: RowAdapter {
    private let mapping: [String: String]

    /// Creates an adapter of the columns' old names by their new ones.
    public init(_ mapping: [String: String]) {
        self.mapping = mapping
    }

    /// The picked columns, in the order of `base`.
    public func layout(from base: RowLayout) throws -> RowLayout {
        let columns = try mapping.map { name, baseName in
            guard let index = base.index(ofColumn: baseName) else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: """
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

/// Leaves the columns from an index on.
public struct SuffixRowAdapter: RowAdapter {
    private let index: Int

    /// Creates an adapter that leaves the columns from `index` on.
    public init(fromIndex index: Int) {
        requirement(index >= 0, "column index out of range: \(index)")
        self.index = index
    }

    /// The columns from the index on.
    public func layout(from base: RowLayout) throws -> RowLayout {
        try RangeRowAdapter(index..<Swift.max(index, base.count)).layout(from: base)
    }
}

/// Leaves a range of columns.
public struct RangeRowAdapter: RowAdapter {
    private let range: Range<Int>

    /// Creates an adapter that leaves the columns of a range.
    public init(_ range: CountableRange<Int>) {
        requirement(range.lowerBound >= 0, "column index out of range: \(range.lowerBound)")
        self.range = range
    }

    /// Creates an adapter that leaves the columns of a range.
    public init(_ range: CountableClosedRange<Int>) {
        self.init(range.lowerBound..<range.upperBound + 1)
    }

    /// The columns of the range.
    public func layout(from base: RowLayout) throws -> RowLayout {
        guard range.upperBound <= base.count || range.isEmpty else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: """
                    the row adapter takes columns \(range.lowerBound) to \
                    \(range.upperBound - 1), and there are \(base.count)
                    """
            )
        }
        return RowLayout(
            columns: range.lazy.map { (index: $0, name: base.names[$0]) },
            of: base
        )
    }
}

/// Makes rows of parts of a row, each under a name.
public struct ScopeAdapter: RowAdapter {
    private let base: any RowAdapter
    private let scopes: [String: any RowAdapter]

    /// Creates an adapter that leaves the columns as they are, and adds scopes.
    public init(_ scopes: [String: any RowAdapter]) {
        self.init(base: SuffixRowAdapter(fromIndex: 0), scopes: scopes)
    }

    /// Creates an adapter that adds scopes to another one.
    ///
    /// All of them adapt the same columns.
    public init(base: some RowAdapter, scopes: [String: any RowAdapter]) {
        self.base = base
        self.scopes = scopes
    }

    /// The columns of the adapter below, with scopes.
    public func layout(from base: RowLayout) throws -> RowLayout {
        let layout = try self.base.layout(from: base)
        let added = try scopes.mapValues { try $0.layout(from: base) }
        return layout.with(scopes: layout.scopes.merging(added) { $1 })
    }
}

/// Gives columns other names.
public struct RenameColumnAdapter: RowAdapter {
    private let transform: @Sendable (String) -> String

    /// Creates an adapter that makes the new names of the old ones.
    public init(_ transform: @escaping @Sendable (String) -> String) {
        self.transform = transform
    }

    /// The same columns under other names.
    public func layout(from base: RowLayout) -> RowLayout {
        RowLayout(
            columns: base.names.enumerated().map {
                (index: $0.offset, name: transform($0.element))
            },
            of: base
        )
    }
}

/// Makes adapters that split a row into parts.
///
/// - Parameter columnCounts: The numbers of columns of the parts, from left to right.
/// - Returns: An adapter for each part, and one for the columns that are left.
public func splittingRowAdapters(columnCounts: [Int]) -> [any RowAdapter] {
    var start = 0
    var adapters: [any RowAdapter] = []
    for count in columnCounts {
        adapters.append(RangeRowAdapter(start..<start + count))
        start += count
    }
    return adapters + [SuffixRowAdapter(fromIndex: start)]
}

/// Presents what another adapter has made.
struct ChainedAdapter: RowAdapter {
    let first: any RowAdapter
    let second: any RowAdapter

    func layout(from base: RowLayout) throws -> RowLayout {
        try second.layout(from: first.layout(from: base))
    }
}
