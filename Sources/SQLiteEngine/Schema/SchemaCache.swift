/// The schema information that a connection has cached.
///
/// The cache is valid while both of the following conditions are met:
/// - No connection of this process has changed the schema, according to ``SchemaGeneration``.
/// - The database has not changed, or it has changed but its schema version is the same.
///   `SQLITE_FCNTL_DATA_VERSION` reports a change without a query. The data version is updated when
///   a statement reads, so a change by another process is detected only after the next statement.
struct SchemaCache {
    /// The names of the databases, `temp` first.
    var databaseNames: [String]?
    /// The cached schema of each database, by its name.
    var databases: [String: DatabaseSchema] = [:]
}

/// The schema of one database: `main`, `temp`, or an attached database.
struct DatabaseSchema {
    /// A table, a view, an index, or a trigger.
    struct Object: Hashable {
        let type: String
        let name: String
    }

    /// The pager's counter of changes when the schema was last confirmed.
    var dataVersion: UInt32
    /// SQLite's counter of schema changes.
    let schemaVersion: Int
    /// The objects by their lowercase names.
    let objects: [Object: String]
    /// The requested columns, by table.
    var columns: [String: Set<String>] = [:]
    /// Other requested information, by lowercase table name.
    var details: [String: TableDetails] = [:]
    /// The table shapes for records, by lowercase table name.
    var shapes: [String: TableShape] = [:]

    /// Returns the name of an object as spelled in the schema.
    func canonicalName(_ name: String, type: String) -> String? {
        objects[Object(type: type, name: name.lowercased())]
    }
}
