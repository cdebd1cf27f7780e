import CSQLite

/// The version of a statement and its schema, which determine the statement's analysis.
struct AnalysisVersion: Equatable {
    /// How often SQLite has prepared the statement again.
    var preparation: CInt = 0
    var schemaEpoch: Int
}

extension Statement {
    /// The region that the statement reads, including reads by its triggers and foreign keys.
    ///
    /// The first use of this property on a connection installs the connection's authorizer
    /// (`sqlite3_set_authorizer`). SQLite then reprepares each existing statement when it next
    /// runs. If SQLite cannot analyze the statement, for example because memory is exhausted, the
    /// region is the full database.
    public var databaseRegion: DatabaseRegion {
        // Another process may have changed the schema. If this fails, so does the execution.
        try? database.confirmSchema()
        return (try? analyze())?.region ?? .fullDatabase
    }

    /// The kinds of changes that the statement may make.
    ///
    /// - Throws: A ``DatabaseError`` if SQLite cannot analyze the statement. Without the kinds,
    ///   observers would miss the statement's changes.
    func authorizerEventKinds() throws -> [DatabaseEventKind] {
        try analyze().eventKinds.map { kind in
            // SQLite reports a change of the rowid under this name, also if a column is its alias.
            guard case .update(let table, let columns) = kind,
                columns.contains(where: { $0.isSameIdentifier(as: Column.rowID.name) }),
                let alias = try database.rowIDColumn(ofTable: table)
            else { return kind }
            return .update(tableName: table, columnNames: columns.union([alias]))
        }
    }

    /// Whether an analysis has shown that the statement may delete rows.
    var mayDelete: Bool { analysis?.eventKinds.contains { $0.isDelete } ?? false }

    var invalidatesDatabaseSchemaCache: Bool { effect == .schemaChange || effect == .attachment }

    /// Returns the analysis of the statement's current prepared form.
    ///
    /// - Throws: A ``DatabaseError`` other than `SQLITE_ERROR`. Executing an invalid statement
    ///   throws `SQLITE_ERROR`.
    private func analyze() throws -> StatementAnalysis {
        let version = AnalysisVersion(
            preparation: sqlite3_stmt_status(pointer, SQLITE_STMTSTATUS_REPREPARE, 0),
            schemaEpoch: database.schemaEpoch
        )
        if let analysis, analysisVersion == version { return analysis }
        // SQLite cannot prepare a statement again in place, but preparing a copy has the same
        // result.
        let text = sqlite3_sql(pointer)
        let connection = database.handle
        var code = SQLITE_OK
        let analysis = database.analysis {
            var copy: SQLiteStatement?
            code = sqlite3_prepare_v3(connection, text, -1, 0, &copy, nil)
            sqlite3_finalize(copy)
        }
        guard code & 0xff == SQLITE_OK || code & 0xff == SQLITE_ERROR else {
            throw database.makeError(ResultCode(rawValue: code), nil, sql, nil)
        }
        self.analysis = analysis
        analysisVersion = version
        return analysis
    }
}
