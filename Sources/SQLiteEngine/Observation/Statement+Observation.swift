import CSQLite

extension Statement {
    /// The region that the statement reads, including what its triggers and foreign keys read.
    ///
    /// The first use of this property on a connection installs the connection's authorizer
    /// (`sqlite3_set_authorizer`). All statements are then reprepared when they next run.
    public var databaseRegion: DatabaseRegion { analyzed.region }

    /// The kinds of changes that the statement may make.
    var authorizerEventKinds: [DatabaseEventKind] { analyzed.eventKinds }

    /// Whether the statement is known to delete rows.
    var mayDelete: Bool { analysis?.eventKinds.contains { $0.isDelete } ?? false }

    /// Whether the statement changes the schema.
    var invalidatesDatabaseSchemaCache: Bool { effect == .schemaChange || effect == .attachment }

    /// What SQLite reports about the statement in its current prepared form.
    private var analyzed: StatementAnalysis {
        let version = sqlite3_stmt_status(pointer, SQLITE_STMTSTATUS_REPREPARE, 0)
        if let analysis, analysisVersion == version { return analysis }
        // A statement cannot be prepared again in place, but preparing a copy has the same result.
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
