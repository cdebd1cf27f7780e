import CSQLite
import Foundation

/// A row of a statement's result.
///
/// A row from a ``RowCursor`` shows what the statement shows, and changes with each step. All
/// others have their values for themselves: one buffer for each row, and the names of the columns
/// once for all.
public final class Row {
    /// The number of columns.
    public let count: Int

    /// The columns.
    let layout: RowLayout

    /// The statement that shows the values; nil for a copied row.
    let statement: Statement?

    /// The C statement that shows the values; nil for a copied row.
    @usableFromInline let sqliteStatement: SQLiteStatement?

    private let buffer: RowBuffer?

    /// What decodes records from the row, made when first needed.
    ///
    /// A cursor's row meets the same columns at each step: they are looked up once. One access has
    /// the row, so that nothing need be checked.
    @exclusivity(unchecked) var recordDecoder: RecordDecoder? {
        didSet { recordColumns = recordDecoder.map { .passUnretained($0.columns) } }
    }

    /// The columns of ``recordDecoder``, which nothing counts.
    @exclusivity(unchecked) private(set) var recordColumns: Unmanaged<RowColumns>?

    /// Creates a row that shows the current row of a statement.
    init(statement: Statement, layout: RowLayout) {
        self.statement = statement
        self.sqliteStatement = statement.pointer
        self.layout = layout
        self.buffer = nil
        self.count = layout.count
    }

    /// Creates a row of copied values.
    init(buffer: RowBuffer, layout: RowLayout) {
        self.statement = nil
        self.sqliteStatement = nil
        self.layout = layout
        self.buffer = buffer
        self.count = layout.count
    }

    /// Creates a row of the same values, under other columns.
    private init(_ row: Row, layout: RowLayout) {
        self.statement = row.statement
        self.sqliteStatement = row.sqliteStatement
        self.layout = layout
        self.buffer = row.buffer
        self.count = layout.count
    }

    /// Creates a row of given columns.
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

    /// Creates a row of the pairs of a dictionary, in any order.
    public convenience init(_ dictionary: [String: (any DatabaseValueConvertible)?]) {
        self.init(columns: dictionary.map { ($0.key, $0.value?.databaseValue ?? .null) })
    }

    /// Creates a row of the pairs of a dictionary, in any order.
    ///
    /// It is nil when a key is no string, or a value is not convertible.
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

    /// A row with the same values, which does not change.
    public func copy() -> Row {
        guard let sqliteStatement else { return self }
        // A statement without a row has no column that could be read.
        let count = Int(sqlite3_column_count(sqliteStatement))
        return Row(buffer: RowBuffer.copy(sqliteStatement, count: count), layout: layout)
    }

    /// Another object for the same values.
    var twin: Row { Row(self, layout: layout) }

    /// The row of the same values, with other columns.
    func adapted(to layout: RowLayout) -> Row {
        layout === self.layout ? self : Row(self, layout: layout)
    }

    /// The value of a column that exists.
    @usableFromInline
    func databaseValue(atUncheckedIndex index: Int) -> DatabaseValue {
        let source = layout.source(of: index)
        if let buffer { return buffer.value(at: source) }
        guard let sqliteStatement else { return .null }
        return DatabaseValue(sqliteStatement: sqliteStatement, index: source)
    }

    /// Where the statement has the value of a column that exists.
    @usableFromInline
    func source(ofUncheckedIndex index: Int) -> CInt { layout.source(of: index) }

    /// The leftmost column with a name, in whatever case.
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
    /// Whether the value of a column is NULL.
    public func hasNull(atIndex index: Int) -> Bool {
        checkIndex(index)
        let source = layout.source(of: index)
        if let buffer { return buffer.isNull(at: source) }
        // Asking for the type alone leaves the value as it is.
        return sqliteStatement.map { sqlite3_column_type($0, source) == SQLITE_NULL } ?? true
    }

    /// Whether a column has a name, in whatever case.
    public func hasColumn(_ columnName: String) -> Bool { index(ofColumn: columnName) != nil }

    /// Whether a value, of the row or of one of its scopes, is not NULL.
    public var containsNonNullValue: Bool {
        (0..<count).contains { !hasNull(atIndex: $0) }
            || scopes.contains { $0.row.containsNonNullValue }
    }

    /// Calls `body` with the bytes of a column, which hold no longer than the call.
    public func withUnsafeData<T>(
        atIndex index: Int,
        _ body: (Data?) throws -> T
    ) throws -> T {
        checkIndex(index)
        return try body(borrowedData(at: index))
    }

    /// Calls `body` with the bytes of a column, which hold no longer than the call.
    ///
    /// They are nil for a column that does not exist.
    public func withUnsafeData<T>(
        named columnName: String,
        _ body: (Data?) throws -> T
    ) throws -> T {
        try body(index(ofColumn: columnName).flatMap(borrowedData(at:)))
    }

    /// The bytes of a column, not copied; nil for NULL.
    ///
    /// Those of a cursor's row hold until the next step.
    public func dataNoCopy(atIndex index: Int) -> Data? {
        checkIndex(index)
        return borrowedData(at: index)
    }

    /// The bytes of a column, not copied; nil for NULL and for a column that does not exist.
    ///
    /// Those of a cursor's row hold until the next step.
    public func dataNoCopy(named columnName: String) -> Data? {
        index(ofColumn: columnName).flatMap(borrowedData(at:))
    }

    private func borrowedData(at index: Int) -> Data? {
        let source = layout.source(of: index)
        if let buffer { return buffer.data(at: source) }
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
