/// Cached information about a table, which is valid until the schema changes.
struct TableDetails {
    var columns: [ColumnInfo]?
    var columnNames: Set<String>?
    var primaryKey: PrimaryKeyInfo?
    var indexes: [IndexInfo]?
    var foreignKeys: [ForeignKeyInfo]?
}

/// A table or a view in one of a connection's databases.
struct SchemaObject {
    let name: String
    let database: String
    let isView: Bool
}

extension Database {
    /// Returns a table, or a view if no such table exists.
    ///
    /// - Throws: `SQLITE_ERROR` if the schema or the object does not exist.
    func schemaObject(_ name: String, in schemaName: String?) throws -> SchemaObject {
        for database in try databaseNames(for: schemaName) {
            if let object = try schemaObject(name, of: database) { return object }
        }
        throw DatabaseError(message: "no such table: \(name)")
    }

    /// Returns a table or a view of one database, or `nil` if no such object exists.
    func schemaObject(
        _ name: String,
        of database: String,
        isForWrite: Bool = false
    ) throws -> SchemaObject? {
        let schema = try schema(of: database, isForWrite: isForWrite)
        let isTable =
            schema.canonicalName(name, type: "table") != nil
            || name.identifierKey == Self.masterTable(of: database)
        guard isTable || schema.canonicalName(name, type: "view") != nil else { return nil }
        return SchemaObject(name: name, database: database, isView: !isTable)
    }

    /// Returns cached information about a table, or fetches and caches the information.
    func detail<T>(
        _ detail: WritableKeyPath<TableDetails, T?>,
        of object: SchemaObject,
        fetch: () throws -> T
    ) throws -> T {
        let key = object.name.identifierKey
        if let known = schemaCache.databases[object.database]?.details[key]?[keyPath: detail] {
            return known
        }
        let found = try withoutRecording(fetch)
        schemaCache.databases[object.database]?.details[key, default: TableDetails()][
            keyPath: detail
        ] = found
        return found
    }

    /// Returns the name of the given database, or the names of all databases.
    func databaseNames(for schemaName: String?) throws -> [String] {
        guard let schemaName else { return try databaseNames() }
        let wanted = schemaName.identifierKey
        guard let database = try databaseNames().first(where: { $0.identifierKey == wanted }) else {
            throw DatabaseError(message: "no such schema: \(schemaName)")
        }
        return [database]
    }

    /// Returns the table that contains the schema of a database.
    static func masterTable(of database: String) -> String {
        database == "temp" ? "sqlite_temp_master" : "sqlite_master"
    }
}

/// A column of a table or a view, as reported by SQLite.
///
/// See <https://sqlite.org/pragma.html#pragma_table_xinfo>.
public struct ColumnInfo: FetchableRecord, Sendable {
    /// The name, as spelled in the schema.
    public let name: String

    /// The declared type, or an empty string if there is none.
    public let type: String

    /// The declared type, or `nil` if there is none.
    public var columnType: Database.ColumnType? {
        type.isEmpty ? nil : Database.ColumnType(rawValue: type)
    }

    /// Whether the column is declared `NOT NULL`.
    public let isNotNull: Bool

    /// The default value as SQL, such as `'none'`, or `nil` if there is none.
    public let defaultValueSQL: String?

    /// The column's position in the primary key, starting at 1, or 0 if the column is not part of
    /// the key.
    public let primaryKeyIndex: Int

    /// Creates column information from a row of `pragma_table_xinfo`.
    public init(row: Row) {
        name = row["name"]
        type = row["type"]
        isNotNull = row["notnull"]
        defaultValueSQL = row["dflt_value"]
        primaryKeyIndex = row["pk"]
    }
}

/// An index of a table.
public struct IndexInfo: Sendable {
    /// The statement or constraint that created an index.
    public struct Origin: RawRepresentable, Hashable, DatabaseValueConvertible, Sendable {
        /// SQLite's abbreviation.
        public let rawValue: String

        /// Creates an origin from SQLite's abbreviation.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A `CREATE INDEX` statement.
        public static let createIndex = Origin(rawValue: "c")
        /// A `UNIQUE` constraint.
        public static let uniqueConstraint = Origin(rawValue: "u")
        /// A `PRIMARY KEY` constraint.
        public static let primaryKeyConstraint = Origin(rawValue: "pk")
    }

    /// The name of the index.
    public let name: String

    /// The names of the columns, in the order of the index.
    public let columns: [String]

    /// Whether the index is unique.
    public let isUnique: Bool

    /// The statement or constraint that created the index.
    public let origin: Origin
}

/// The primary key of a table.
public struct PrimaryKeyInfo: Sendable {
    /// The declared columns of the key in order, or `nil` if the table declares no key.
    let columnInfos: [ColumnInfo]?

    /// Whether the table has rowids.
    ///
    /// Only tables declared `WITHOUT ROWID` have no rowids.
    let tableHasRowID: Bool

    /// The names of the columns, or `rowid` if the table declares no key.
    public var columns: [String] { columnInfos?.map(\.name) ?? [Column.rowID.name] }

    /// The column that is an alias for the rowid (`INTEGER PRIMARY KEY`), or `nil` if there is
    /// none.
    ///
    /// See <https://sqlite.org/lang_createtable.html#rowid>.
    public let rowIDColumn: String?

    /// Whether the key is the rowid or an alias for it.
    public var isRowID: Bool { columnInfos == nil || rowIDColumn != nil }
}

/// A foreign key of a table.
public struct ForeignKeyInfo: Sendable {
    /// The number of the key within the table, as reported by `PRAGMA foreign_key_check`.
    public let id: Int

    /// The name of the referenced table.
    public let destinationTable: String

    /// The pairs of a column in this table and the column that it references.
    public let mapping: [(origin: String, destination: String)]

    /// The columns in this table.
    public var originColumns: [String] { mapping.map(\.origin) }

    /// The referenced columns.
    public var destinationColumns: [String] { mapping.map(\.destination) }
}

/// A row whose foreign key references a missing row.
///
/// See <https://sqlite.org/pragma.html#pragma_foreign_key_check>.
public struct ForeignKeyViolation: FetchableRecord, Sendable {
    /// The name of the table that contains the row.
    public var originTable: String

    /// The rowid of the row, or `nil` in a table without rowids.
    public var originRowID: Int64?

    /// The name of the referenced table.
    public var destinationTable: String

    /// The ``ForeignKeyInfo/id`` of the foreign key.
    public var foreignKeyId: Int

    /// Creates a violation from a row of `PRAGMA foreign_key_check`.
    public init(row: Row) {
        originTable = row[0]
        originRowID = row[1]
        destinationTable = row[2]
        foreignKeyId = row[3]
    }

    /// Returns a description that contains the columns of the foreign key and the values of the
    /// row.
    ///
    /// - Throws: A ``DatabaseError`` if the schema or the row cannot be read.
    public func failureDescription(_ db: Database) throws -> String {
        let key = try db.foreignKeys(on: originTable).first { $0.id == foreignKeyId }
        func columns(_ names: [String]?) -> String {
            names.map { "(\($0.joined(separator: ", ")))" } ?? ""
        }
        let description = """
            FOREIGN KEY constraint violation - \
            from \(originTable)\(columns(key?.originColumns)) \
            to \(destinationTable)\(columns(key?.destinationColumns))
            """
        guard let originRowID else { return description }
        let row = try Row.fetchOne(
            db,
            sql: "SELECT * FROM \(originTable.quotedIdentifier) WHERE rowid = ?",
            arguments: [originRowID]
        )
        return description + ", in \(row.map(\.description) ?? "rowid \(originRowID)")"
    }

    /// Returns the violation as an error with the code `SQLITE_CONSTRAINT_FOREIGNKEY`.
    public func databaseError(_ db: Database) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY,
            message: (try? failureDescription(db)) ?? description
        )
    }
}

extension ForeignKeyViolation: CustomStringConvertible {
    /// A description that contains the tables and the rowid, if any.
    public var description: String {
        """
        FOREIGN KEY constraint violation - from \(originTable) to \(destinationTable)\
        \(originRowID.map { ", in rowid \($0)" } ?? "")
        """
    }
}
