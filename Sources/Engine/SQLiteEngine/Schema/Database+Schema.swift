import CSQLite

extension Database {
    /// Returns whether a table exists in the given schema, or in any schema.
    ///
    /// The name is case-insensitive. If `schemaName` is `nil`, this method searches all databases.
    ///
    /// - Throws: A ``DatabaseError`` if the schema does not exist or cannot be read.
    public func tableExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
        try exists("table", name: name, in: schemaName)
    }

    /// Returns whether a view exists in the given schema, or in any schema.
    ///
    /// The name is case-insensitive. If `schemaName` is `nil`, this method searches all databases.
    ///
    /// - Throws: A ``DatabaseError`` if the schema does not exist or cannot be read.
    public func viewExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
        try exists("view", name: name, in: schemaName)
    }

    /// Returns whether a trigger exists in the given schema, or in any schema.
    ///
    /// The name is case-insensitive. If `schemaName` is `nil`, this method searches all databases.
    ///
    /// - Throws: A ``DatabaseError`` if the schema does not exist or cannot be read.
    public func triggerExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
        try exists("trigger", name: name, in: schemaName)
    }

    /// Returns whether SQLite reserves a table's name for internal use.
    public static func isSQLiteInternalTable(_ tableName: String) -> Bool {
        let name = tableName.identifierKey
        return name.hasPrefix("sqlite_") || name.hasPrefix("pragma_")
    }

    /// Clears the cached schema and the cached statements.
    ///
    /// Call this method only after changes that SQLite does not detect, such as changes through
    /// `PRAGMA writable_schema`.
    public func clearSchemaCache() {
        discardCachedSchema()
    }

    /// Returns the schema version of the main database.
    ///
    /// SQLite increments this number when the schema changes.
    public func schemaVersion() throws -> Int32 {
        try Int32.fetchOne(self, sql: "PRAGMA schema_version") ?? 0
    }

    private func exists(_ type: String, name: String, in schemaName: String?) throws -> Bool {
        try databaseNames(for: schemaName).contains { database in
            try schema(of: database).canonicalName(name, type: type) != nil
        }
    }

    // MARK: Observation

    /// Returns a table name as spelled in the schema, or `nil` if the table does not exist.
    func canonicalTableName(_ name: String) throws -> String? {
        for database in try databaseNames() {
            if let name = try schema(of: database).canonicalName(name, type: "table") {
                return name
            }
            let master = Self.masterTable(of: database)
            if name.identifierKey == master { return master }
        }
        return nil
    }

    /// Returns the names of all tables, with the tables of `temp` first.
    func allTableNames() throws -> [String] {
        try databaseNames().flatMap { database in
            try schema(of: database).objects.filter { $0.key.type == "table" }.map(\.value)
        }
    }

    /// Returns the names of a table's columns, or an empty set if the table does not exist.
    func columnNames(in table: String, isForWrite: Bool = false) throws -> Set<String> {
        for database in try databaseNames() {
            guard let object = try schemaObject(table, of: database, isForWrite: isForWrite),
                !object.isView
            else {
                continue
            }
            return try detail(\.columnNames, of: object) {
                try String.fetchSet(
                    self,
                    sql: "SELECT name FROM pragma_table_xinfo(?, ?)",
                    arguments: [table, database]
                )
            }
        }
        return []
    }

    // MARK: The cache

    /// Discards the cached schema after this connection has changed the schema or rolled back a
    /// change.
    func schemaDidChange() {
        if isInsideTransaction {
            hasChangedSchema = true
            attention.insert(.transaction)
        }
        schemaGeneration?.increase()
        discardCachedSchema()
    }

    /// Returns the names of the databases.
    ///
    /// `temp` comes first, because its tables take precedence over tables with the same names.
    /// `main` and the attached databases follow.
    func databaseNames() throws -> [String] {
        discardOutdatedSchema()
        if let names = schemaCache.databaseNames { return names }
        let names = try withoutRecording {
            try String.fetchAll(self, sql: "SELECT name FROM pragma_database_list ORDER BY seq")
        }
        let sorted = names.filter { $0 == "temp" } + names.filter { $0 != "temp" }
        schemaCache.databaseNames = sorted
        return sorted
    }

    /// Returns the schema of a database, from the cache if it is current.
    ///
    /// - Parameters:
    ///   - database: The name of the database.
    ///   - isForWrite: Whether a statement that writes follows. In a deferred transaction that has
    ///     not read yet, the cached schema is then sufficient: a query would start to read, and a
    ///     transaction that reads cannot wait for the write lock. SQLite prepares the statement
    ///     again if the schema has changed.
    /// - Returns: The schema.
    /// - Throws: A ``DatabaseError`` if the schema cannot be read.
    func schema(of database: String, isForWrite: Bool = false) throws -> DatabaseSchema {
        try withoutRecording {
            try confirmSchemaState()
            if var schema = schemaCache.databases[database] {
                if isForWrite, mayWaitToWrite { return schema }
                // Only this connection can change `temp`.
                if isReading(database) || database == "temp" {
                    if schema.dataVersion == dataVersion(of: database) { return schema }
                } else if let state = schema.state, let memory = probe.walIndex,
                    state.isLast(in: memory)
                {
                    // In WAL mode, nothing has been committed since the schema was read.
                    return schema
                }
                let state = lastCommittedState(of: database)
                if try fetchSchemaVersion(of: database) == schema.schemaVersion {
                    schema.dataVersion = dataVersion(of: database)
                    schema.state = isInLastCommittedState(state) ? state : nil
                    schemaCache.databases[database] = schema
                    return schema
                }
                otherProcessDidChangeSchema()
            }
            let schema = try fetchSchema(of: database)
            schemaCache.databases[database] = schema
            return schema
        }
    }

    /// Ensures that statements are analyzed with the schema that the next statement uses.
    ///
    /// SQLite compares its schema in memory with the file only when a statement runs.
    ///
    /// - Throws: A ``DatabaseError`` if the schema cannot be read.
    func confirmSchema() throws {
        discardOutdatedSchema()
        guard
            confirmedDataVersion != dataVersion(of: "main") || !isReading("main")
                || kept.pointee.isUnconfirmed || kept.pointee.hasAttachedDatabase
        else { return }
        for name in try databaseNames() { _ = try schema(of: name) }
        confirmedDataVersion = isReading("main") ? dataVersion(of: "main") : nil
    }

    /// Whether the connection can write, and is in a transaction that has not read or written yet.
    ///
    /// The first statement of such a transaction can wait for the write lock if it writes.
    var mayWaitToWrite: Bool {
        isInsideTransaction && !isReadOnly
            && sqlite3_txn_state(handle, nil) == SQLITE_TXN_NONE
    }

    /// The last committed state of the main database in WAL mode, or `nil` if it is unknown.
    private func lastCommittedState(of database: String) -> CommittedState? {
        guard database == "main", !isReading(database), let memory = probe.walIndex else {
            return nil
        }
        return CommittedState(of: memory)
    }

    /// Returns whether a transaction has started to read a database, so that the state and the data
    /// version do not change.
    private func isReading(_ database: String) -> Bool {
        sqlite3_txn_state(handle, database) > SQLITE_TXN_NONE
    }

    private func fetchSchema(of database: String) throws -> DatabaseSchema {
        let schemaVersion = try fetchSchemaVersion(of: database)
        let master = Self.masterTable(of: database)
        var objects: [DatabaseSchema.Object: String] = [:]
        var containsReplace = false
        let rows = try Row.fetchCursor(
            self,
            sql: """
                SELECT type, name, type IN ('table', 'trigger') AND sql LIKE '%replace%' \
                FROM \(database.quotedIdentifier).\(master)
                """
        )
        while let row = try rows.next() {
            let name: String = row[1]
            objects[DatabaseSchema.Object(type: row[0], name: name.identifierKey)] = name
            if row[2] == true { containsReplace = true }
        }
        // The data version is current, because the statements above have read the database.
        return DatabaseSchema(
            dataVersion: dataVersion(of: database),
            schemaVersion: schemaVersion,
            objects: objects,
            containsReplace: containsReplace
        )
    }

    private func fetchSchemaVersion(of database: String) throws -> Int {
        try Int.fetchOne(self, sql: "PRAGMA \(database.quotedIdentifier).schema_version") ?? 0
    }

    /// Returns the pager's change counter, or 0 for a database that has no file yet.
    ///
    /// The counter changes when the connection reads a different state. See
    /// `SQLITE_FCNTL_DATA_VERSION` (https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html).
    func dataVersion(of database: String) -> UInt32 {
        var version: UInt32 = 0
        sqlite3_file_control(handle, database, SQLITE_FCNTL_DATA_VERSION, &version)
        return version
    }

    /// Makes SQLite discard its in-memory schema and reload it when it next prepares a statement.
    ///
    /// The reset also disconnects virtual tables that no live statement uses. Some virtual tables,
    /// such as FTS and R-tree tables, keep prepared statements on the connection. SQLite finalizes
    /// these statements when it disconnects the tables, and connects the tables again at their next
    /// use.
    ///
    /// The pragma reads nothing from the file and acquires no lock. Its only side effect is that
    /// `writable_schema` is turned off, and this method restores the setting. See
    /// https://sqlite.org/pragma.html#pragma_writable_schema.
    func resetSchema() {
        let wasTraceMuted = isTraceMuted
        isTraceMuted = true
        defer { isTraceMuted = wasTraceMuted }
        var isWritable: CInt = 0
        poolgauge_db_config(handle, SQLITE_DBCONFIG_WRITABLE_SCHEMA, -1, &isWritable)
        // Retry, because an interrupt from another thread can stop the parser.
        for _ in 0..<100 {
            let code = sqlite3_exec(handle, "PRAGMA writable_schema = RESET", nil, nil, nil)
            if code & 0xff != SQLITE_INTERRUPT { break }
        }
        if isWritable != 0 {
            poolgauge_db_config(handle, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nil)
        }
    }

    /// Prepares the connection after another connection of this process has changed the schema.
    ///
    /// Call this method before you look up a statement in the cache. SQLite compares its in-memory
    /// schema with the file only when a statement runs. A statement that is prepared after the
    /// change but before another statement runs has the old columns.
    @inline(never)
    func otherConnectionDidChangeSchema() {
        // If this call fails, the error occurs again when a statement is prepared or runs.
        try? confirmSchemaState()
        discardCachedSchema()
        let transactionState = sqlite3_txn_state(handle, nil)
        // A running statement has already compared the schema with the state that it reads, and the
        // reset would expire the statement. A connection that writes has the latest schema,
        // including its uncommitted changes.
        let isRunning = preparedStatements.contains { sqlite3_stmt_busy($0) != 0 }
        if transactionState != SQLITE_TXN_WRITE, !isRunning { resetSchema() }
        // The open transaction may still read the state from before the change. The next
        // transaction must not reuse statements that are prepared in this transaction.
        if transactionState != SQLITE_TXN_NONE {
            discardsSchemaAfterTransaction = true
            attention.insert(.transaction)
        }
    }

    /// Prepares the connection after another process has changed the schema.
    ///
    /// SQLite analyzes a statement with its schema in memory, which it compares with the file only
    /// when a statement runs.
    func otherProcessDidChangeSchema() {
        discardCachedSchema()
        // After its own uncommitted change, the connection must keep its schema, so that SQLite
        // can discard the schema if the transaction is rolled back.
        let isRunning = preparedStatements.contains { sqlite3_stmt_busy($0) != 0 }
        if !hasChangedSchema, !isRunning { resetSchema() }
    }

    /// The connection's statements that are not finalized.
    var preparedStatements: some Sequence<SQLiteStatement> {
        sequence(state: nil as SQLiteStatement?) { [handle] statement in
            statement = sqlite3_next_stmt(handle, statement)
            return statement
        }
    }
}
