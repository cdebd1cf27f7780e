import CSQLite

extension Database {
    /// Makes SQLite discard its in-memory schema, and read the schema again when it next prepares a
    /// statement.
    ///
    /// The reset also disconnects the virtual tables that no live statement uses. This finalizes
    /// the statements that they keep on the connection, as FTS and R-tree tables do. They connect
    /// again when they are next used.
    ///
    /// The pragma reads nothing from the file and acquires no lock
    /// (https://sqlite.org/pragma.html#pragma_writable_schema). It has one side effect, which is
    /// undone: it turns `writable_schema` off.
    func resetSchema() {
        let wasTraceMuted = isTraceMuted
        isTraceMuted = true
        defer { isTraceMuted = wasTraceMuted }
        var isWritable: CInt = 0
        poolgauge_db_config(
            handle,
            SQLITE_DBCONFIG_WRITABLE_SCHEMA,
            -1,
            &isWritable
        )
        // An interrupt from another thread may stop the parser.
        for _ in 0..<100 {
            let code = sqlite3_exec(
                handle,
                "PRAGMA writable_schema = RESET",
                nil,
                nil,
                nil
            )
            if code & 0xff != SQLITE_INTERRUPT { break }
        }
        if isWritable != 0 {
            poolgauge_db_config(handle, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, nil)
        }
    }

    /// Called after another connection of this process has changed the schema, before the caches
    /// are searched for a statement.
    ///
    /// SQLite compares its in-memory schema with the file only when a statement runs. A statement
    /// that is prepared after the change but before another statement runs has the old columns.
    @inline(never)
    func otherConnectionDidChangeSchema() {
        // Any error occurs again when a statement is prepared or runs.
        try? confirmSchemaState()
        discardCachedSchema()
        let transactionState = sqlite3_txn_state(handle, nil)
        // A running statement has already compared the schema with the state that it reads, and the
        // reset would expire it. A connection that writes has the latest schema, including its own
        // changes.
        if transactionState != SQLITE_TXN_WRITE, !hasRunningStatement { resetSchema() }
        // The open transaction may show the state before the change. Statements that are prepared
        // in it must not be reused in the next transaction.
        if transactionState != SQLITE_TXN_NONE {
            discardsSchemaAfterTransaction = true
            attention.insert(.transaction)
        }
    }

    /// Whether a statement was stepped and has not been reset since then.
    private var hasRunningStatement: Bool {
        var statement = sqlite3_next_stmt(handle, nil)
        while let current = statement {
            if sqlite3_stmt_busy(current) != 0 { return true }
            statement = sqlite3_next_stmt(handle, current)
        }
        return false
    }
}
