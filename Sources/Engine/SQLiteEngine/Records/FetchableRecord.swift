import Foundation

/// A type that can be created from rows.
///
/// A type that conforms to `Decodable` has a default implementation: the coding keys are the column
/// names, and properties that are neither column values nor scopes of a row adapter are decoded
/// from JSON.
public protocol FetchableRecord {
    /// Creates a record from a row.
    ///
    /// The row may belong to a cursor and is valid only during the call. To keep its data, copy the
    /// values or the row.
    init(row: borrowing Row) throws

    /// The `userInfo` dictionary for the decoder of a `Decodable` record.
    ///
    /// Defaults to an empty dictionary.
    static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { get }

    /// Returns the decoder for a column that is stored as JSON.
    static func databaseJSONDecoder(for column: String) -> JSONDecoder

    /// Returns the strategy for decoding `Data` from a column.
    ///
    /// Defaults to ``DatabaseDataDecodingStrategy/deferredToData``.
    static func databaseDataDecodingStrategy(for column: String) -> DatabaseDataDecodingStrategy

    /// Returns the strategy for decoding dates from a column.
    ///
    /// Defaults to ``DatabaseDateDecodingStrategy/deferredToDate``.
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy

    /// The strategy for mapping columns to coding keys.
    ///
    /// By default, columns and keys have the same names.
    static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy { get }
}

extension FetchableRecord {
    /// An empty dictionary.
    public static var databaseDecodingUserInfo: [CodingUserInfoKey: Any] { [:] }

    /// Returns a decoder that reads data as Base64 and dates as milliseconds since 1970.
    public static func databaseJSONDecoder(for column: String) -> JSONDecoder {
        .forDatabase(userInfo: databaseDecodingUserInfo)
    }

    /// Returns ``DatabaseDataDecodingStrategy/deferredToData``.
    public static func databaseDataDecodingStrategy(
        for column: String
    ) -> DatabaseDataDecodingStrategy { .deferredToData }

    /// Returns ``DatabaseDateDecodingStrategy/deferredToDate``.
    public static func databaseDateDecodingStrategy(
        for column: String
    ) -> DatabaseDateDecodingStrategy { .deferredToDate }

    /// The strategy that uses the column names as key names.
    public static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy {
        .useDefaultKeys
    }
}

extension FetchableRecord where Self: Decodable {
    /// Decodes a record from the columns of a row.
    @inlinable
    public init(row: borrowing Row) throws {
        try self.init(from: BorrowedDecoder.decoder(of: row, for: Self.self))
    }
}

/// A decoder that creates records from rows.
public class FetchableRecordDecoder {
    /// Creates a decoder.
    public init() {}

    /// Decodes a record from the columns of a row.
    ///
    /// To perform the default decoding first in a custom initializer, write
    /// `self = try FetchableRecordDecoder().decode(Self.self, from: row)`.
    public func decode<T: FetchableRecord & Decodable>(
        _ type: T.Type,
        from row: Row
    ) throws -> T {
        try T(from: BorrowedDecoder.decoder(of: row, for: type))
    }
}

/// A cursor over records.
public final class RecordCursor<Record: FetchableRecord>: SteppingCursor {
    /// The type of the elements that the cursor produces.
    public typealias Element = Record

    // The cursor belongs to one access, so its variables need no exclusivity checks.
    @exclusivity(unchecked) @usableFromInline var steps: StatementSteps
    private let adapter: (any RowAdapter)?
    @exclusivity(unchecked) @usableFromInline var row: Row?

    @usableFromInline
    init(
        _ statement: Statement,
        _ arguments: StatementArguments?,
        _ adapter: (any RowAdapter)?
    ) throws {
        // Throw here rather than at the first row if the adapter maps an unknown column.
        _ = try adapter?.layout(from: statement.layout)
        steps = try StatementSteps(statement, arguments)
        self.adapter = adapter
    }

    deinit { steps.end() }

    /// Advances to the next record and returns it, or returns `nil` at the end.
    @inlinable
    public func next() throws -> Record? {
        guard try steps.advance() else { return nil }
        return try Record(row: row ?? makeRow())
    }

    @usableFromInline
    func makeRow() throws -> Row {
        // The first step can reprepare the statement, which can change its columns.
        let layout = steps.statement.layout
        let row = Row(
            statement: steps.statement,
            layout: try adapter?.layout(from: layout) ?? layout
        )
        self.row = row
        return row
    }
}

extension FetchableRecord where Self: TableRecord {
    /// Returns a cursor over all records of the table.
    @inlinable
    public static func fetchCursor(_ db: Database) throws -> RecordCursor<Self> {
        try fetchCursor(selection(db, filter: .all))
    }

    /// Fetches all records of the table.
    @inlinable
    public static func fetchAll(_ db: Database) throws -> [Self] {
        try fetchAll(selection(db, filter: .all))
    }

    /// Fetches the first record of the table, or returns `nil` if the table is empty.
    @inlinable
    public static func fetchOne(_ db: Database) throws -> Self? {
        try fetchOne(selection(db, filter: .all, limit: 1))
    }

    /// Returns a cursor over the records with the given primary keys, in no particular order.
    @inlinable
    public static func fetchCursor(
        _ db: Database,
        keys: some Collection<some DatabaseValueConvertible>
    ) throws -> RecordCursor<Self> {
        try fetchCursor(selection(db, filter: KeyFilter(db, table: databaseTableName, keys: keys)))
    }

    /// Fetches the records with the given primary keys, in no particular order.
    @inlinable
    public static func fetchAll(
        _ db: Database,
        keys: some Collection<some DatabaseValueConvertible>
    ) throws -> [Self] {
        if keys.isEmpty { return [] }
        return try fetchAll(
            selection(db, filter: KeyFilter(db, table: databaseTableName, keys: keys))
        )
    }

    /// Fetches the record with the given primary key, or returns `nil` if there is none.
    @inlinable
    public static func fetchOne(
        _ db: Database,
        key: some DatabaseValueConvertible
    ) throws -> Self? {
        if key.databaseValue.isNull { return nil }
        let statement = try selection(
            db,
            filter: KeyFilter(db, table: databaseTableName, keys: [key])
        )
        guard db.recordsSelection else { return try fetchOne(statement) }
        return try db.recordingRow(key.databaseValue, of: databaseTableName, statement: statement) {
            try fetchOne(statement)
        }
    }

    /// Fetches the record with the given primary key.
    ///
    /// - Throws: A ``RecordError`` if no such record exists.
    @inlinable
    public static func find(
        _ db: Database,
        key: some DatabaseValueConvertible
    ) throws -> Self {
        if let record = try fetchOne(db, key: key) { return record }
        throw recordNotFound(db, key: key)
    }

    /// Returns a cursor over the records that match any of the given dictionaries of column values.
    @inlinable
    public static func fetchCursor(
        _ db: Database,
        keys: [[String: (any DatabaseValueConvertible)?]]
    ) throws -> RecordCursor<Self> {
        try fetchCursor(selection(db, filter: KeyFilter(table: databaseTableName, keys: keys)))
    }

    /// Fetches the records that match any of the given dictionaries of column values, in no
    /// particular order.
    @inlinable
    public static func fetchAll(
        _ db: Database,
        keys: [[String: (any DatabaseValueConvertible)?]]
    ) throws -> [Self] {
        if keys.isEmpty { return [] }
        return try fetchAll(selection(db, filter: KeyFilter(table: databaseTableName, keys: keys)))
    }

    /// Fetches a record that matches a dictionary of column values, or returns `nil` if there is
    /// none.
    @inlinable
    public static func fetchOne(
        _ db: Database,
        key: [String: (any DatabaseValueConvertible)?]?
    ) throws -> Self? {
        guard let key else { return nil }
        return try fetchOne(
            selection(db, filter: KeyFilter(table: databaseTableName, keys: [key]), limit: 1)
        )
    }

    /// Fetches a record that matches a dictionary of column values.
    ///
    /// - Throws: A ``RecordError`` if no such record exists.
    @inlinable
    public static func find(
        _ db: Database,
        key: [String: (any DatabaseValueConvertible)?]
    ) throws -> Self {
        if let record = try fetchOne(db, key: key) { return record }
        throw recordNotFound(key: key)
    }
}

extension FetchableRecord where Self: TableRecord & Identifiable, ID: DatabaseValueConvertible {
    /// Fetches the records with the given identifiers, in no particular order.
    @inlinable
    public static func fetchAll(_ db: Database, ids: some Collection<ID>) throws -> [Self] {
        try fetchAll(db, keys: ids)
    }

    /// Fetches the record with the given identifier, or returns `nil` if there is none.
    @inlinable
    public static func fetchOne(_ db: Database, id: ID) throws -> Self? {
        try fetchOne(db, key: id)
    }

    /// Fetches the record with the given identifier.
    ///
    /// - Throws: A ``RecordError`` if no such record exists.
    @inlinable
    public static func find(_ db: Database, id: ID) throws -> Self {
        try find(db, key: id)
    }
}

extension FetchableRecord where Self: TableRecord & Hashable {
    /// Fetches the distinct records of the table.
    @inlinable
    public static func fetchSet(_ db: Database) throws -> Set<Self> {
        try fetchSet(selection(db, filter: .all))
    }

    /// Fetches the distinct records with the given primary keys.
    @inlinable
    public static func fetchSet(
        _ db: Database,
        keys: some Collection<some DatabaseValueConvertible>
    ) throws -> Set<Self> {
        if keys.isEmpty { return [] }
        return try fetchSet(
            selection(db, filter: KeyFilter(db, table: databaseTableName, keys: keys))
        )
    }
}

extension FetchableRecord {
    /// Returns a cursor over records, which is valid only during the access.
    ///
    /// If `arguments` is `nil`, the statement keeps its current arguments.
    ///
    /// - Throws: `SQLITE_MISUSE` if the arguments do not match the parameters, or if the adapter
    ///   does not match the columns.
    @inlinable
    public static func fetchCursor(
        _ statement: Statement,
        arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> RecordCursor<Self> {
        try RecordCursor(statement, arguments, adapter)
    }

    /// Fetches all records.
    ///
    /// If `arguments` is `nil`, the statement keeps its current arguments.
    ///
    /// - Throws: A ``DatabaseError``, or an error from a record's initializer.
    @inlinable
    public static func fetchAll(
        _ statement: Statement,
        arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        let cursor = try RecordCursor<Self>(statement, arguments, adapter)
        var records: [Self] = []
        guard try cursor.steps.advance() else { return records }
        // Store the row in a local variable to avoid retrieving it from the cursor for each record.
        let row = try cursor.makeRow()
        repeat { records.append(try Self(row: row)) } while try cursor.steps.advance()
        return records
    }

    /// Fetches the first record, or returns `nil` if there is no row.
    ///
    /// If `arguments` is `nil`, the statement keeps its current arguments.
    ///
    /// - Throws: A ``DatabaseError``, or an error from a record's initializer.
    @inlinable
    public static func fetchOne(
        _ statement: Statement,
        arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try RecordCursor<Self>(statement, arguments, adapter).next()
    }

    /// Returns a cursor over the records of a query.
    @inlinable
    public static func fetchCursor(
        _ db: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> RecordCursor<Self> {
        try fetchCursor(db.makeStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches all records of a query.
    @inlinable
    public static func fetchAll(
        _ db: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> [Self] {
        try fetchAll(db.fetchStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches the first record of a query.
    @inlinable
    public static func fetchOne(
        _ db: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Self? {
        try fetchOne(db.fetchStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Returns a cursor over the records of a request.
    public static func fetchCursor(
        _ db: Database,
        _ request: some FetchRequest
    ) throws -> RecordCursor<Self> {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        return try fetchCursor(request.statement, adapter: request.adapter)
    }

    /// Fetches all records of a request.
    public static func fetchAll(_ db: Database, _ request: some FetchRequest) throws -> [Self] {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        return try fetchAll(request.statement, adapter: request.adapter)
    }

    /// Fetches the first record of a request.
    public static func fetchOne(_ db: Database, _ request: some FetchRequest) throws -> Self? {
        let request = try request.makePreparedRequest(db, forSingleResult: true)
        return try fetchOne(request.statement, adapter: request.adapter)
    }
}

extension FetchableRecord where Self: Hashable {
    /// Fetches the distinct records.
    ///
    /// If `arguments` is `nil`, the statement keeps its current arguments.
    ///
    /// - Throws: A ``DatabaseError``, or an error from a record's initializer.
    @inlinable
    public static func fetchSet(
        _ statement: Statement,
        arguments: StatementArguments? = nil,
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try Set(RecordCursor<Self>(statement, arguments, adapter))
    }

    /// Fetches the distinct records of a query.
    @inlinable
    public static func fetchSet(
        _ db: Database,
        sql: String,
        arguments: StatementArguments = StatementArguments(),
        adapter: (any RowAdapter)? = nil
    ) throws -> Set<Self> {
        try fetchSet(db.fetchStatement(sql: sql), arguments: arguments, adapter: adapter)
    }

    /// Fetches the distinct records of a request.
    public static func fetchSet(_ db: Database, _ request: some FetchRequest) throws -> Set<Self> {
        let request = try request.makePreparedRequest(db, forSingleResult: false)
        return try fetchSet(request.statement, adapter: request.adapter)
    }
}
