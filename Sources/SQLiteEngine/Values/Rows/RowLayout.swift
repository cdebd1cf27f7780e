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
