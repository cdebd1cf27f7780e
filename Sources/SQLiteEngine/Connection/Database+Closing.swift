import CSQLite

extension Database {
    /// Prepares to close the connection.
    ///
    /// This method finalizes the statements that the engine and virtual tables keep, and checks
    /// that all other statements are finalized. The connection stays open. If it remains in use,
    /// the engine prepares the finalized statements again when needed.
    ///
    /// - Throws: `SQLITE_BUSY` if one of the user's statements is not finalized. The message
    ///   contains its SQL.
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
                + (statements.count == 1
                    ? "`\(first)`" : "\(statements.count) statements, such as `\(first)`")
        )
    }

    /// The SQL of the user's statements that prevent closing the connection.
    private var liveStatements: [String] {
        let statements = preparedStatements.map { statement in
            // A BLOB handle is a statement without SQL.
            sqlite3_sql(statement).map { String(cString: $0).trimmedSQL } ?? "a BLOB handle"
        }
        // An unfinalized statement on a virtual table also keeps the internal statements of the
        // table open. Only statements that were prepared through the engine are known to belong to
        // the user. If no such statement is open, the user prepared one through the C handle.
        let registered = probe.statements.allSQL
        let prepared = statements.filter { registered.contains($0) }
        return prepared.isEmpty ? statements : prepared
    }
}
