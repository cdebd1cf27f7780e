import CSQLite

extension Database {
    /// Whether there is a table, in a schema or in any of them.
    ///
    /// - Parameters:
    ///   - name: The table's name; case does not matter.
    ///   - schemaName: `main`, `temp`, or the name of an attached database.
    /// - Returns: Whether there is one.
    /// - Throws: A ``DatabaseError``: no such schema, or what reading it throws.
    public func tableExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
        try exists("table", name, in: schemaName)
    }

    /// Whether there is a view, in a schema or in any of them.
    ///
    /// - Parameters:
    ///   - name: The view's name; case does not matter.
    ///   - schemaName: `main`, `temp`, or the name of an attached database.
    /// - Returns: Whether there is one.
    /// - Throws: A ``DatabaseError``: no such schema, or what reading it throws.
    public func viewExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
        try exists("view", name, in: schemaName)
    }

    /// Whether there is a trigger, in a schema or in any of them.
    ///
    /// - Parameters:
    ///   - name: The trigger's name; case does not matter.
    ///   - schemaName: `main`, `temp`, or the name of an attached database.
    /// - Returns: Whether there is one.
    /// - Throws: A ``DatabaseError``: no such schema, or what reading it throws.
    public func triggerExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
        try exists("trigger", name, in: schemaName)
    }

    /// Whether a table belongs to SQLite.
    public static func isSQLiteInternalTable(_ tableName: String) -> Bool {
        let name = tableName.lowercased()
        return name.hasPrefix("sqlite_") || name.hasPrefix("pragma_")
    }

    /// Forgets what is known of the schema, and the statements that were prepared with it.
    ///
    /// Only needed after changes behind SQLite's back, as by `PRAGMA writable_schema`.
    public func clearSchemaCache() {
        forgetSchema()
    }

    /// SQLite's counter of schema changes in the main database.
    ///
    /// - Throws: A ``DatabaseError``.
    public func schemaVersion() throws -> Int32 {
        try Int32.fetchOne(self, sql: "PRAGMA schema_version") ?? 0
    }

    private func exists(_ type: String, _ name: String, in schemaName: String?) throws -> Bool {
        try databaseNames(for: schemaName).contains { database in
            try schema(of: database).canonicalName(name, type: type) != nil
        }
    }

    // MARK: For observation

    /// The name of a table as the schema spells it; nil when there is no such table.
    func canonicalTableName(_ name: String) throws -> String? {
        for database in try databaseNames() {
            if let name = try schema(of: database).canonicalName(name, type: "table") {
                return name
            }
            let master = Self.masterTable(of: database)
            if name.lowercased() == master { return master }
        }
        return nil
    }

    /// The names of all tables, `temp`'s first.
    func allTableNames() throws -> [String] {
        try databaseNames().flatMap { database in
            try schema(of: database).objects.filter { $0.key.type == "table" }.map(\.value)
        }
    }

    /// The names of a table's columns; none when there is no such table.
    func columnNames(in table: String) throws -> Set<String> {
        let key = table.lowercased()
        for database in try databaseNames() {
            let schema = try schema(of: database)
            guard schema.canonicalName(table, type: "table") != nil else { continue }
            if let columns = schema.columns[key] { return columns }
            let columns = try withoutRecording {
                try String.fetchSet(
                    self,
                    sql: "SELECT name FROM pragma_table_xinfo(?, ?)",
                    arguments: [table, database]
                )
            }
            schemaCache.databases[database]?.columns[key] = columns
            return columns
        }
        return []
    }

    // MARK: The cache

    /// Called when this connection has changed its schema, or undone a change.
    func schemaDidChange() {
        if isInsideTransaction {
            hasChangedSchema = true
            attention.insert(.transaction)
        }
        schemaGeneration?.increase()
        forgetSchema()
    }

    /// The names of the databases: `main`, those that are attached, and before them `temp`, whose
    /// tables hide all others.
    func databaseNames() throws -> [String] {
        forgetOldSchema()
        if let names = schemaCache.databaseNames { return names }
        let names = try withoutRecording {
            try String.fetchAll(self, sql: "SELECT name FROM pragma_database_list ORDER BY seq")
        }
        let sorted = names.filter { $0 == "temp" } + names.filter { $0 != "temp" }
        schemaCache.databaseNames = sorted
        return sorted
    }

    func schema(of database: String) throws -> DatabaseSchema {
        try withoutRecording {
            let dataVersion = dataVersion(of: database)
            if var schema = schemaCache.databases[database] {
                if schema.dataVersion == dataVersion { return schema }
                if try fetchSchemaVersion(of: database) == schema.schemaVersion {
                    schema.dataVersion = self.dataVersion(of: database)
                    schemaCache.databases[database] = schema
                    return schema
                }
            }
            let schema = try fetchSchema(of: database)
            schemaCache.databases[database] = schema
            return schema
        }
    }

    private func fetchSchema(of database: String) throws -> DatabaseSchema {
        let schemaVersion = try fetchSchemaVersion(of: database)
        let master = Self.masterTable(of: database)
        var objects: [DatabaseSchema.Object: String] = [:]
        let rows = try Row.fetchCursor(
            self,
            sql: "SELECT type, name FROM \(database.quotedIdentifier).\(master)"
        )
        while let row = try rows.next() {
            let name: String = row[1]
            objects[DatabaseSchema.Object(type: row[0], name: name.lowercased())] = name
        }
        // As of now: the statements above have read.
        return DatabaseSchema(
            dataVersion: dataVersion(of: database),
            schemaVersion: schemaVersion,
            objects: objects
        )
    }

    private func fetchSchemaVersion(of database: String) throws -> Int {
        try Int.fetchOne(self, sql: "PRAGMA \(database.quotedIdentifier).schema_version") ?? 0
    }

    /// The pager's counter of changes; 0 for a database without a file of its own yet.
    private func dataVersion(of database: String) -> UInt32 {
        var version: UInt32 = 0
        sqlite3_file_control(handle, database, SQLITE_FCNTL_DATA_VERSION, &version)
        return version
    }
}
