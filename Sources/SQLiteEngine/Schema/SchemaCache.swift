/// The schema information that a connection has cached.
///
/// The cache is valid while both of these conditions are met:
/// - No connection of this process has changed the schema, according to ``SchemaGeneration``.
/// - The database file is unchanged, or its schema version is unchanged.
///   `SQLITE_FCNTL_DATA_VERSION` reports a file change without a query. SQLite updates the data
///   version when a transaction starts to read. Before that, a query must read the schema version.
struct SchemaCache {
    /// The names of the databases, with `temp` first.
    var databaseNames: [String]?
    var databases: [String: DatabaseSchema] = [:]
}

/// The schema of one database: `main`, `temp`, or an attached database.
struct DatabaseSchema {
    struct Object: Hashable {
        let type: String
        let name: String
    }

    /// The pager's change counter when the cache was last validated.
    var dataVersion: UInt32
    /// The committed state for which the cache was last validated, or `nil` if it is unknown.
    var state: CommittedState?
    /// SQLite's schema version, which changes with the schema.
    let schemaVersion: Int
    /// The original names of the objects, by type and lowercase name.
    let objects: [Object: String]
    /// Whether the definition of a table or a trigger contains the word `REPLACE`.
    let containsReplace: Bool
    /// The table details that have been requested, by lowercase table name.
    var details: [String: TableDetails] = [:]
    /// The table shapes for records, by lowercase table name.
    var shapes: [String: TableShape] = [:]

    func canonicalName(_ name: String, type: String) -> String? {
        objects[Object(type: type, name: name.identifierKey)]
    }
}
