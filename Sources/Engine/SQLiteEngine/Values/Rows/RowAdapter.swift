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

/// The columns of rows, shared by all rows of one execution.
///
/// A ``RowAdapter`` transforms a layout. The *source* of a column is the index of its value in the
/// statement's result, regardless of the number of adapters in between.
public final class RowLayout: Sendable {
    /// The names, from left to right.
    public let names: [String]

    /// The names in lowercase.
    private let keys: [String]

    /// The leftmost column for each key, or `nil` if there are so few columns that a scan is
    /// faster.
    private let indexes: [String: Int]?

    /// The sources of the columns, or `nil` in the layout of a statement.
    @usableFromInline let sources: [CInt]?

    let scopes: [String: RowLayout]

    /// The statement's layout, or `nil` if this is the layout of a statement.
    private let base: RowLayout?

    var root: RowLayout { base ?? self }

    var count: Int { names.count }

    /// Creates a layout of columns that an adapter has selected.
    ///
    /// - Parameters:
    ///   - columns: The columns of `base` in their new order, with their new names.
    ///   - base: The layout to adapt.
    convenience init(columns: [(index: Int, name: String)], of base: RowLayout) {
        self.init(
            names: columns.map(\.name),
            sources: columns.map { base.source(of: $0.index) },
            base: base.root
        )
    }

    init(
        names: [String],
        sources: [CInt]? = nil,
        scopes: [String: RowLayout] = [:],
        base: RowLayout? = nil
    ) {
        self.names = names
        self.keys = Self.keys(of: names)
        self.indexes = Self.indexes(of: keys)
        self.sources = sources
        self.scopes = scopes
        self.base = base
    }

    func with(scopes: [String: RowLayout]) -> RowLayout {
        let sources = sources ?? (0..<CInt(count)).map(\.self)
        return RowLayout(names: names, sources: sources, scopes: scopes, base: root)
    }

    /// Returns the index of a column's value in the statement's result.
    @usableFromInline
    func source(of index: Int) -> CInt { sources?[index] ?? CInt(index) }

    /// Returns the index of the leftmost column with the given name, ignoring case, or `nil` if
    /// there is none.
    public func index(ofColumn name: String) -> Int? {
        // Most names are their own keys.
        if let index = index(ofKey: name) { return index }
        let key = name.identifierKey
        return index(ofKey: key) ?? index(ignoringCaseOf: name, key)
    }

    /// Returns the index of a column whose name differs in the case of letters that SQLite
    /// distinguishes.
    private func index(ignoringCaseOf name: String, _ key: String) -> Int? {
        // An ASCII name has the same key as all names that differ in case.
        guard key.utf8.first == 0 else { return nil }
        let name = name.lowercased()
        return names.firstIndex { $0.lowercased() == name }
    }

    private func index(ofKey key: String) -> Int? {
        if let indexes { return indexes[key] }
        return keys.firstIndex(of: key)
    }

    private static func keys(of names: [String]) -> [String] { names.map(\.identifierKey) }

    private static func indexes(of keys: [String]) -> [String: Int]? {
        guard keys.count > 16 else { return nil }
        return Dictionary(zip(keys, keys.indices), uniquingKeysWith: { first, _ in first })
    }
}
