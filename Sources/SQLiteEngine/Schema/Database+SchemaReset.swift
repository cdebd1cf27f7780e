import CSQLite

extension Database {
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
