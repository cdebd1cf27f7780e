/// The columns of rows, shared by all rows of one execution.
///
/// A ``RowAdapter`` transforms a layout. Each column contains the position of its value in the
/// statement's result, its *source*, regardless of the number of adapters in between.
public final class RowLayout: Sendable {
    /// The names, from left to right.
    public let names: [String]

    /// The lowercase names.
    private let keys: [String]

    /// The leftmost column of each key; nil for a small number of columns, for which a scan is
    /// faster.
    private let indexes: [String: Int]?

    /// The sources of the columns; nil if these are the columns of the statement.
    @usableFromInline let sources: [CInt]?

    /// The layouts of the scopes.
    let scopes: [String: RowLayout]

    /// The columns of the statement; nil if these are the columns of the statement.
    private let base: RowLayout?

    /// The columns of the statement.
    var root: RowLayout { base ?? self }

    /// The number of columns.
    var count: Int { names.count }

    /// Creates the columns of a statement.
    convenience init(names: [String]) {
        self.init(names: names, sources: nil, scopes: [:], base: nil)
    }

    /// Creates columns that an adapter has selected.
    ///
    /// - Parameters:
    ///   - columns: The columns of `base` in their new order, with their new names.
    ///   - scopes: The layouts of the scopes.
    ///   - base: The layout that is adapted.
    init(
        columns: some Sequence<(index: Int, name: String)>,
        scopes: [String: RowLayout] = [:],
        of base: RowLayout
    ) {
        let columns = Array(columns)
        self.names = columns.map(\.name)
        self.keys = Self.keys(of: names)
        self.indexes = Self.indexes(of: keys)
        self.sources = columns.map { base.source(of: $0.index) }
        self.scopes = scopes
        self.base = base.root
    }

    private init(
        names: [String],
        sources: [CInt]?,
        scopes: [String: RowLayout],
        base: RowLayout?
    ) {
        self.names = names
        self.keys = Self.keys(of: names)
        self.indexes = Self.indexes(of: keys)
        self.sources = sources
        self.scopes = scopes
        self.base = base
    }

    /// Returns the same columns with other scopes.
    func with(scopes: [String: RowLayout]) -> RowLayout {
        let sources = sources ?? (0..<CInt(count)).map(\.self)
        return RowLayout(names: names, sources: sources, scopes: scopes, base: root)
    }

    /// Returns the position of a column's value in the statement's result.
    @usableFromInline
    func source(of index: Int) -> CInt { sources?[index] ?? CInt(index) }

    /// Returns the leftmost column with a name, ignoring case; nil if there is none.
    public func index(ofColumn name: String) -> Int? {
        index(ofKey: name) ?? index(ofKey: name.lowercased())
    }

    private func index(ofKey key: String) -> Int? {
        if let indexes { return indexes[key] }
        return keys.firstIndex(of: key)
    }

    private static func keys(of names: [String]) -> [String] {
        // A name that is already lowercase shares its storage.
        names.map { name in
            let isLower = name.utf8.allSatisfy { $0 < 0x80 && !(0x41...0x5A).contains($0) }
            return isLower ? name : name.lowercased()
        }
    }

    private static func indexes(of keys: [String]) -> [String: Int]? {
        guard keys.count > 16 else { return nil }
        return Dictionary(zip(keys, keys.indices), uniquingKeysWith: { first, _ in first })
    }
}
