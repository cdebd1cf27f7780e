/// What a connection knows of its schemas, so that it need not ask again.
///
/// It is valid while both hold:
/// - no connection of this process has changed the schema since (``SchemaGeneration``);
/// - the database has not changed at all, as `SQLITE_FCNTL_DATA_VERSION` tells without a query; or
///   it has, and its schema version is still the same. The data version moves when a statement
///   reads, so that another process's change shows after the next one.
struct SchemaCache {
    /// The names of the databases, `temp` first.
    var databaseNames: [String]?
    /// What is known of each database, by its name.
    var databases: [String: DatabaseSchema] = [:]
}

/// The schema of one database: `main`, `temp`, or an attached one.
struct DatabaseSchema {
    /// A table, a view, an index or a trigger.
    struct Object: Hashable {
        let type: String
        let name: String
    }

    /// The pager's counter when the schema was last seen to be so.
    var dataVersion: UInt32
    /// SQLite's own counter of schema changes.
    let schemaVersion: Int
    /// The objects under their names in lower case.
    let objects: [Object: String]
    /// The columns of the tables that somebody asked for.
    var columns: [String: Set<String>] = [:]
    /// What else somebody asked of the tables, by their names in lower case.
    var details: [String: TableDetails] = [:]
    /// What records ask of the tables, by their names in lower case.
    var shapes: [String: TableShape] = [:]

    /// The name of an object as the schema spells it.
    func canonicalName(_ name: String, type: String) -> String? {
        objects[Object(type: type, name: name.lowercased())]
    }
}
