import CSQLite

extension Statement {
    /// The region that the statement reads, including what its triggers and foreign keys read.
    ///
    /// The first use of this property on a connection installs the connection's authorizer
    /// (`sqlite3_set_authorizer`). SQLite then reprepares each existing statement when it next
    /// runs.
    public var databaseRegion: DatabaseRegion { analyzed.region }

    var authorizerEventKinds: [DatabaseEventKind] { analyzed.eventKinds }

    /// Whether an analysis has shown that the statement may delete rows.
    var mayDelete: Bool { analysis?.eventKinds.contains { $0.isDelete } ?? false }

    var invalidatesDatabaseSchemaCache: Bool { effect == .schemaChange || effect == .attachment }

    /// The analysis of the statement's current prepared form.
    private var analyzed: StatementAnalysis {
        let version = sqlite3_stmt_status(pointer, SQLITE_STMTSTATUS_REPREPARE, 0)
        if let analysis, analysisVersion == version { return analysis }
        // SQLite cannot prepare a statement again in place, but preparing a copy has the same
        // result.
        let text = sqlite3_sql(pointer)
        let connection = database.handle
        let analysis = database.analysis {
            var copy: SQLiteStatement?
            sqlite3_prepare_v3(connection, text, -1, 0, &copy, nil)
            sqlite3_finalize(copy)
        }
        self.analysis = analysis
        analysisVersion = version
        return analysis
    }
}
