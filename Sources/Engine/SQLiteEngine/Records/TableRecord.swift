import Telemetry

/// A type that is associated with a table.
public protocol TableRecord: SendableMetatype {
    /// The type that contains the columns.
    ///
    /// By convention, this type is an `enum Columns` inside the record type.
    associatedtype Columns = Never

    /// The type of ``databaseComponents``. Defaults to the metatype of `Columns`.
    associatedtype DatabaseComponents = Columns.Type

    /// The name of the table, without its schema.
    ///
    /// Defaults to the type's name with a lowercase initial, such as `player` for `Player` and
    /// `httpRequest` for `HTTPRequest`.
    static var databaseTableName: String { get }

    /// The columns that queries select. Defaults to all columns.
    static var databaseSelection: [any SQLSelectable] { get }

    /// The columns that are available to closures that select columns.
    static var databaseComponents: DatabaseComponents { get }
}

extension TableRecord where DatabaseComponents == Columns.Type {
    /// The type that contains the columns.
    public static var databaseComponents: Columns.Type { Columns.self }
}

extension TableRecord {
    /// The type's name with a lowercase initial.
    public static var databaseTableName: String { defaultDatabaseTableName }

    /// The type's name with a lowercase initial.
    ///
    /// All letters of a leading initialism become lowercase, as in `urlCache` for `URLCache` and
    /// `html` for `HTML`.
    static var defaultDatabaseTableName: String {
        let type = ObjectIdentifier(Self.self)
        return tableNames.withLock { names in
            if let name = names[type] { return name }
            let name = tableName(ofType: "\(Self.self)")
            names[type] = name
            return name
        }
    }

    /// All columns.
    public static var databaseSelection: [any SQLSelectable] { [.allColumns] }
}

/// A cache of the table names that are derived from type names.
private let tableNames = Lock<[ObjectIdentifier: String]>([:])

private func tableName(ofType type: String) -> String {
    // Drop generic arguments: the table name for `Pair<Int>` is `pair`.
    let name = type.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    let capitals = name.prefix { $0.isASCII && $0.isUppercase }
    guard capitals.count > 1, capitals.count < name.count else {
        return capitals.lowercased() + name.dropFirst(capitals.count)
    }
    return capitals.dropLast().lowercased() + name.dropFirst(capitals.count - 1)
}

/// A filter that selects a table's rows by key.
@usableFromInline
struct KeyFilter: Sendable {
    /// The condition after `WHERE`, or `nil` for all rows.
    let condition: String?
    let arguments: StatementArguments

    @usableFromInline static let all = KeyFilter(condition: nil, arguments: StatementArguments())

    /// Creates a filter for the rows with the given values of a single-column primary key.
    ///
    /// - Throws: `SQLITE_MISUSE` if the primary key does not have exactly one column.
    @usableFromInline
    init(
        _ db: Database,
        table: String,
        keys: some Collection<some DatabaseValueConvertible>,
        isForWrite: Bool = false
    ) throws {
        let column = try db.keyColumn(of: table, isForWrite: isForWrite)
        let marks = keys.count == 1 ? "= ?" : "IN (\(questionMarks(keys.count)))"
        condition = "\(table.quotedIdentifier).\(column.quotedIdentifier) \(marks)"
        arguments = StatementArguments(keys)
    }

    /// Creates a filter for the rows that match any of the given dictionaries of column values.
    @usableFromInline
    init(table: String, keys: [[String: (any DatabaseValueConvertible)?]]) {
        var values: [DatabaseValue] = []
        let conditions = keys.map { key in
            let terms = key.sorted { $0.key < $1.key }.map { column, value in
                let name = "\(table.quotedIdentifier).\(column.quotedIdentifier)"
                guard let value = value?.databaseValue, !value.isNull else {
                    return "\(name) IS NULL"
                }
                values.append(value)
                return "\(name) = ?"
            }
            // An empty key matches no row.
            return terms.isEmpty ? "FALSE" : "(" + terms.joined(separator: " AND ") + ")"
        }
        condition = conditions.isEmpty ? "FALSE" : conditions.joined(separator: " OR ")
        arguments = StatementArguments(values: values)
    }

    private init(condition: String?, arguments: StatementArguments) {
        self.condition = condition
        self.arguments = arguments
    }

    var clause: String { condition.map { " WHERE \($0)" } ?? "" }
}

func questionMarks(_ count: Int) -> String {
    count == 0 ? "" : "?" + String(repeating: ",?", count: count - 1)
}

extension Database {
    /// Returns the single column of a table's primary key.
    ///
    /// - Throws: `SQLITE_MISUSE` if the primary key does not have exactly one column.
    func keyColumn(of table: String, isForWrite: Bool = false) throws -> String {
        let columns = try tableShape(table, isForWrite: isForWrite).primaryKey
        if columns.count == 1 { return columns[0] }
        throw DatabaseError.misuse(
            columns.isEmpty
                ? """
                the view `\(table)` has no primary key; specify the key as a dictionary of columns
                """
                : """
                the primary key of `\(table)` has \(columns.count) columns \
                (\(columns.joined(separator: ", "))); specify the key as a dictionary of columns
                """
        )
    }
}

extension TableRecord {
    @usableFromInline
    static func selection(
        _ db: Database,
        filter: KeyFilter,
        limit: Int? = nil
    ) throws -> Statement {
        var sql = "SELECT \(try databaseSelection.selectionSQL())"
        sql += " FROM \(databaseTableName.quotedIdentifier)\(filter.clause)"
        if let limit { sql += " LIMIT \(limit)" }
        let statement = try db.cachedStatement(sql: sql)
        try statement.setArguments(filter.arguments)
        return statement
    }

    private static func delete(_ db: Database, filter: KeyFilter) throws -> Int {
        let name = databaseTableName
        let sql = "DELETE FROM \(name.quotedIdentifier)\(filter.clause)"
        let statement = try db.cachedStatement(sql: sql)
        return try db.countingChanges(of: name) {
            try statement.execute(arguments: filter.arguments)
        }
        .count
    }

    private static func contains(_ db: Database, filter: KeyFilter) throws -> Bool {
        let name = databaseTableName.quotedIdentifier
        let sql = "SELECT EXISTS (SELECT 1 FROM \(name)\(filter.clause))"
        return try Bool.fetchOne(db.cachedStatement(sql: sql), arguments: filter.arguments) ?? false
    }

    /// Returns the number of rows.
    public static func fetchCount(_ db: Database) throws -> Int {
        let sql = "SELECT COUNT(*) FROM \(databaseTableName.quotedIdentifier)"
        return try Int.fetchOne(db.cachedStatement(sql: sql)) ?? 0
    }

    /// Returns whether a row with the given primary key exists.
    public static func exists(_ db: Database, key: some DatabaseValueConvertible) throws -> Bool {
        if key.databaseValue.isNull { return false }
        return try contains(db, filter: KeyFilter(db, table: databaseTableName, keys: [key]))
    }

    /// Returns whether a row matches a dictionary of column values.
    public static func exists(
        _ db: Database,
        key: [String: (any DatabaseValueConvertible)?]
    ) throws -> Bool {
        try contains(db, filter: KeyFilter(table: databaseTableName, keys: [key]))
    }

    /// Deletes all rows and returns the number of deleted rows.
    @discardableResult
    public static func deleteAll(_ db: Database) throws -> Int {
        try delete(db, filter: .all)
    }

    /// Deletes the rows with the given primary keys and returns the number of deleted rows.
    @discardableResult
    public static func deleteAll(
        _ db: Database,
        keys: some Collection<some DatabaseValueConvertible>
    ) throws -> Int {
        if keys.isEmpty { return 0 }
        let filter = try KeyFilter(db, table: databaseTableName, keys: keys, isForWrite: true)
        return try delete(db, filter: filter)
    }

    /// Deletes the rows that match any of the given dictionaries of column values.
    ///
    /// - Returns: The number of deleted rows.
    @discardableResult
    public static func deleteAll(
        _ db: Database,
        keys: [[String: (any DatabaseValueConvertible)?]]
    ) throws -> Int {
        if keys.isEmpty { return 0 }
        return try delete(db, filter: KeyFilter(table: databaseTableName, keys: keys))
    }

    /// Deletes the row with the given primary key and returns whether the row existed.
    @discardableResult
    public static func deleteOne(
        _ db: Database,
        key: some DatabaseValueConvertible
    ) throws -> Bool {
        if key.databaseValue.isNull { return false }
        return try deleteAll(db, keys: [key]) > 0
    }

    /// Deletes the rows that match a dictionary of column values.
    ///
    /// - Returns: Whether any row existed.
    @discardableResult
    public static func deleteOne(
        _ db: Database,
        key: [String: (any DatabaseValueConvertible)?]
    ) throws -> Bool {
        try deleteAll(db, keys: [key]) > 0
    }

    /// Returns the error for a primary key that matches no row.
    public static func recordNotFound(
        _ db: Database,
        key: some DatabaseValueConvertible
    ) -> any Error {
        do {
            let column = try db.keyColumn(of: databaseTableName)
            return recordNotFound(key: [column: key.databaseValue])
        } catch {
            return error
        }
    }

    /// Returns the error for a dictionary of column values that matches no row.
    public static func recordNotFound(
        key: [String: (any DatabaseValueConvertible)?]
    ) -> RecordError {
        .recordNotFound(
            databaseTableName: databaseTableName,
            key: key.mapValues { $0?.databaseValue ?? .null }
        )
    }
}

extension TableRecord where Self: Identifiable, ID: DatabaseValueConvertible {
    /// Returns whether a row with the given identifier exists.
    public static func exists(_ db: Database, id: ID) throws -> Bool {
        try exists(db, key: id)
    }

    /// Deletes the rows with the given identifiers and returns the number of deleted rows.
    @discardableResult
    public static func deleteAll(_ db: Database, ids: some Collection<ID>) throws -> Int {
        try deleteAll(db, keys: ids)
    }

    /// Deletes the row with the given identifier and returns whether the row existed.
    @discardableResult
    public static func deleteOne(_ db: Database, id: ID) throws -> Bool {
        try deleteOne(db, key: id)
    }

    /// Returns the error for an identifier that matches no row.
    public static func recordNotFound(_ db: Database, id: ID) -> any Error {
        recordNotFound(db, key: id)
    }
}

extension Database {
    /// Runs a closure that writes to a table or a view, and returns the number of changed rows.
    func countingChanges<T>(
        of table: String,
        _ body: () throws -> T
    ) throws -> (count: Int, value: T) {
        // SQLite includes changes made by a view's triggers only in the total. See
        // https://sqlite.org/c3ref/changes.html.
        let isView = try tableShape(table, isForWrite: true).isView
        let before = isView ? totalChangesCount : 0
        let value = try body()
        return (isView ? totalChangesCount - before : changesCount, value)
    }
}
