import CSQLite

extension Database {
    /// Finalizes the statements that the engine and the virtual tables keep, and checks that no
    /// other one is left: the connection can be closed then.
    ///
    /// Nothing is closed yet. When the connection stays open, what was finalized is prepared again
    /// on demand.
    ///
    /// - Throws: `SQLITE_BUSY` when a statement of the user is alive; the message contains its SQL.
    func prepareToClose() throws {
        removeCachedStatements()
        transactionStatements.finalize()
        resetSchema()
        let statements = liveStatements
        guard let first = statements.first else { return }
        for statement in statements {
            Self.logError?(.SQLITE_BUSY, "unfinalized statement: \(statement)")
        }
        throw DatabaseError(
            resultCode: .SQLITE_BUSY,
            message: "unable to close due to unfinalized statements: \(label) still has "
                + (statements.count == 1 ? "`\(first)`" : "\(statements.count), one is `\(first)`")
        )
    }

    /// The SQL of the user's statements that keep the connection from closing.
    private var liveStatements: [String] {
        var statements: [String] = []
        var next = sqlite3_next_stmt(handle, nil)
        while let statement = next {
            // A BLOB handle is a statement without SQL.
            let sql = sqlite3_sql(statement).map { String(cString: $0).trimmedSQL }
            statements.append(sql ?? "a BLOB handle")
            next = sqlite3_next_stmt(handle, statement)
        }
        // A live statement on a virtual table also keeps that table's own statements alive. Only
        // those that the engine prepared are known to be the user's; without any, the user has
        // prepared one through the C handle.
        let registered = probe.statements.allSQL
        let prepared = statements.filter { registered.contains($0) }
        return prepared.isEmpty ? statements : prepared
    }
}
