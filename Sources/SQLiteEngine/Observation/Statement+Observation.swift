import CSQLite

extension Statement {
    /// What the statement reads: tables and columns, those that triggers and foreign keys read
    /// included.
    ///
    /// The first time that somebody asks this of a connection, its authorizer is taken
    /// (`sqlite3_set_authorizer`), and all statements are prepared anew when they next run.
    public var databaseRegion: DatabaseRegion { analyzed.region }

    /// The kinds of changes that the statement may bring.
    var authorizerEventKinds: [DatabaseEventKind] { analyzed.eventKinds }

    /// Whether the statement is known to delete rows.
    var mayDelete: Bool { analysis?.eventKinds.contains { $0.isDelete } ?? false }

    /// Whether the statement changes the schema.
    var invalidatesDatabaseSchemaCache: Bool { effect == .schemaChange || effect == .attachment }

    /// What SQLite said of the statement as it is prepared now.
    private var analyzed: StatementAnalysis {
        let version = sqlite3_stmt_status(pointer, SQLITE_STMTSTATUS_REPREPARE, 0)
        if let analysis, analysisVersion == version { return analysis }
        // A statement's own preparing cannot be repeated: a copy says the same.
        let text = sqlite3_sql(pointer)
        let connection = database.handle
        let analysis = database.noteOfPreparing {
            var copy: SQLiteStatement?
            sqlite3_prepare_v3(connection, text, -1, 0, &copy, nil)
            sqlite3_finalize(copy)
        }
        self.analysis = analysis
        analysisVersion = version
        return analysis
    }
}
