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
