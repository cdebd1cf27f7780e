import CSQLite
import Foundation

/// A row of a statement's result.
///
/// A row from a ``RowCursor`` contains the values of the statement's current row and changes with
/// each step. All other rows contain copies of the values. Rows of the same result share their
/// column names and buffers.
public final class Row {
    /// The number of columns.
    public let count: Int

    let layout: RowLayout

    /// The statement that provides the values, or `nil` for a copied row.
    let statement: Statement?

    /// The C statement that provides the values, or `nil` for a copied row.
    @usableFromInline let sqliteStatement: SQLiteStatement?

    private let buffer: RowBuffer?

    /// The index of the row's first cell in the buffer.
    private let start: Int

    /// The decoder that creates records from the row, or `nil` until it is first needed.
    ///
    /// A cursor's row has the same columns at each step, so the decoder looks up each column only
    /// once. The row belongs to one access, so the variable needs no exclusivity checks.
    @exclusivity(unchecked) var recordDecoder: RecordDecoder? {
        didSet { recordColumns = recordDecoder.map { .passUnretained($0.columns) } }
    }

    /// The columns of ``recordDecoder``, without reference counting.
    @exclusivity(unchecked) private(set) var recordColumns: Unmanaged<RowColumns>?

    /// Creates a row that reads from a statement's current row.
    init(statement: Statement, layout: RowLayout) {
        self.statement = statement
        self.sqliteStatement = statement.pointer
        self.layout = layout
        self.buffer = nil
        self.start = 0
        self.count = layout.count
    }

    init(buffer: RowBuffer, start: Int = 0, layout: RowLayout) {
        self.statement = nil
        self.sqliteStatement = nil
        self.layout = layout
        self.buffer = buffer
        self.start = start
        self.count = layout.count
    }

    private init(_ row: Row, layout: RowLayout) {
        self.statement = row.statement
        self.sqliteStatement = row.sqliteStatement
        self.layout = layout
        self.buffer = row.buffer
        self.start = row.start
        self.count = layout.count
    }

    convenience init(columns: [(name: String, value: DatabaseValue)]) {
        self.init(
            buffer: RowBuffer.copy(columns.map(\.value)),
            layout: RowLayout(names: columns.map(\.name))
        )
    }

    /// Creates a row without columns.
    public convenience init() {
        self.init(columns: [])
    }

    /// Creates a row from the key-value pairs of a dictionary, in no particular order.
    public convenience init(_ dictionary: [String: (any DatabaseValueConvertible)?]) {
        self.init(columns: dictionary.map { ($0.key, $0.value?.databaseValue ?? .null) })
    }

    /// Creates a row from the key-value pairs of a dictionary, in no particular order.
    ///
    /// The initializer returns `nil` if a key is not a string or a value cannot be converted.
    public convenience init?(_ dictionary: [AnyHashable: Any]) {
        var columns: [(name: String, value: DatabaseValue)] = []
        for (name, value) in dictionary {
            guard let name = name as? String, let value = DatabaseValue(value: value) else {
                return nil
            }
            columns.append((name, value))
        }
        self.init(columns: columns)
    }

    /// Returns an immutable copy of the row.
    public func copy() -> Row {
        guard let sqliteStatement else { return self }
        // Copy all columns of the statement, because the layout contains their indexes.
        let count = Int(sqlite3_column_count(sqliteStatement))
        return Row(buffer: RowBuffer.copy(sqliteStatement, count: count), layout: layout)
    }

    var newInstance: Row { Row(self, layout: layout) }

    func adapted(to layout: RowLayout) -> Row {
        layout === self.layout ? self : Row(self, layout: layout)
    }

    /// Returns the value of an existing column.
    @usableFromInline
    func databaseValue(atUncheckedIndex index: Int) -> DatabaseValue {
        let source = layout.source(of: index)
        if let buffer { return buffer.value(at: start + Int(source)) }
        guard let sqliteStatement else { return .null }
        return DatabaseValue(sqliteStatement: sqliteStatement, index: source)
    }

    /// Returns the index in the statement's result for an existing column of the row.
    @usableFromInline
    func source(ofUncheckedIndex index: Int) -> CInt { layout.source(of: index) }

    /// Returns the index of the leftmost column with the given name, ignoring case.
    @usableFromInline
    func index(ofColumn name: String) -> Int? { layout.index(ofColumn: name) }

    @usableFromInline
    func checkIndex(_ index: Int) {
        requirement(
            index >= 0 && index < count,
            "row index out of range: \(index) of \(count) columns"
        )
    }
}

@available(*, unavailable)
extension Row: Sendable {}

extension Row {
    /// Returns whether the value of a column is `NULL`.
    public func hasNull(atIndex index: Int) -> Bool {
        checkIndex(index)
        let source = layout.source(of: index)
        if let buffer { return buffer.isNull(at: start + Int(source)) }
        // Reading only the type does not convert the value.
        return sqliteStatement.map { sqlite3_column_type($0, source) == SQLITE_NULL } ?? true
    }

    /// Returns whether a column has the given name, ignoring case.
    public func hasColumn(_ columnName: String) -> Bool { index(ofColumn: columnName) != nil }

    /// Whether any value of the row or its scopes is not `NULL`.
    public var containsNonNullValue: Bool {
        (0..<count).contains { !hasNull(atIndex: $0) }
            || scopes.contains { $0.row.containsNonNullValue }
    }

    /// Calls `body` with the bytes of a column, which are valid only during the call.
    ///
    /// The bytes are `nil` if the value is `NULL`.
    public func withUnsafeData<T>(
        atIndex index: Int,
        _ body: (Data?) throws -> T
    ) throws -> T {
        checkIndex(index)
        return try body(borrowedData(at: index))
    }

    /// Calls `body` with the bytes of a column, which are valid only during the call.
    ///
    /// The bytes are `nil` if the value is `NULL` or the column does not exist.
    public func withUnsafeData<T>(
        named columnName: String,
        _ body: (Data?) throws -> T
    ) throws -> T {
        try body(index(ofColumn: columnName).flatMap(borrowedData(at:)))
    }

    /// Returns the bytes of a column without copying them, or `nil` for `NULL`.
    ///
    /// The bytes of a cursor's row are valid only until the next step.
    public func dataNoCopy(atIndex index: Int) -> Data? {
        checkIndex(index)
        return borrowedData(at: index)
    }

    /// Returns the bytes of a column without copying them.
    ///
    /// The result is `nil` if the value is `NULL` or the column does not exist. The bytes of a
    /// cursor's row are valid only until the next step.
    public func dataNoCopy(named columnName: String) -> Data? {
        index(ofColumn: columnName).flatMap(borrowedData(at:))
    }

    private func borrowedData(at index: Int) -> Data? {
        let source = layout.source(of: index)
        if let buffer { return buffer.data(at: start + Int(source)) }
        guard let sqliteStatement, sqlite3_column_type(sqliteStatement, source) != SQLITE_NULL
        else { return nil }
        guard let bytes = sqlite3_column_blob(sqliteStatement, source) else { return Data() }
        return Data(
            bytesNoCopy: UnsafeMutableRawPointer(mutating: bytes),
            count: Int(sqlite3_column_bytes(sqliteStatement, source)),
            deallocator: .none
        )
    }
}

/// A row is a collection of its columns from left to right, as pairs of a name and a value.
extension Row: RandomAccessCollection {
    /// The position of a column.
    public struct Index: Comparable, Strideable, Sendable {
        let index: Int

        /// Returns whether two positions are the same.
        public static func == (lhs: Self, rhs: Self) -> Bool { lhs.index == rhs.index }

        /// Returns whether a position is to the left of another.
        public static func < (lhs: Self, rhs: Self) -> Bool { lhs.index < rhs.index }

        /// Returns the distance to another position.
        public func distance(to other: Self) -> Int { other.index - index }

        /// Returns the position that is `n` columns to the right.
        public func advanced(by n: Int) -> Self { Self(index: index + n) }
    }

    /// The position of the first column.
    public var startIndex: Index { Index(index: 0) }

    /// The position after the last column.
    public var endIndex: Index { Index(index: count) }

    /// The name and the value of a column.
    public subscript(position: Index) -> (String, DatabaseValue) {
        checkIndex(position.index)
        return (layout.names[position.index], databaseValue(atUncheckedIndex: position.index))
    }

    /// The names of the columns, from left to right.
    public var columnNames: LazyMapCollection<Row, String> { lazy.map(\.0) }

    /// The values, from left to right.
    public var databaseValues: LazyMapCollection<Row, DatabaseValue> { lazy.map(\.1) }
}

extension Row: Hashable {
    /// Returns whether two rows have the same columns in the same order, and the same scopes.
    public static func == (lhs: Row, rhs: Row) -> Bool {
        if lhs === rhs { return true }
        guard lhs.elementsEqual(rhs, by: ==) else { return false }
        let names = lhs.layout.scopes.keys
        return names == rhs.layout.scopes.keys
            && names.allSatisfy { lhs.scopes[$0] == rhs.scopes[$0] }
    }

    /// Feeds the columns into `hasher`.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for (name, value) in self {
            hasher.combine(name)
            hasher.combine(value)
        }
    }
}

extension Row: ExpressibleByDictionaryLiteral {
    /// Creates a row from the key-value pairs of a literal, in order.
    public convenience init(
        dictionaryLiteral elements: (String, (any DatabaseValueConvertible)?)...
    ) {
        self.init(columns: elements.map { ($0.0, $0.1?.databaseValue ?? .null) })
    }
}

extension Row: CustomStringConvertible, CustomDebugStringConvertible {
    /// The columns in the format `[id:1 name:"Arthur"]`.
    public var description: String {
        "[\(map { "\($0.0):\($0.1)" }.joined(separator: " "))]"
    }

    /// The columns of the row, followed by the statement's columns and the scopes.
    public var debugDescription: String {
        let base = unadapted
        guard self != base else { return description }
        var lines = ["▿ \(description)"]
        if unscoped != base { lines.append("  unadapted: \(base.description)") }
        lines += scopeLines(indentation: "  ")
        return lines.joined(separator: "\n")
    }

    private func scopeLines(indentation: String) -> [String] {
        scopes.sorted { $0.name < $1.name }.flatMap { scope in
            ["\(indentation)- \(scope.name): \(scope.row.description)"]
                + scope.row.scopeLines(indentation: indentation + "  ")
        }
    }
}
