import CSQLite

/// An authorizer that records a statement's reads and changes while SQLite prepares the statement.
///
/// The authorizer is installed when a change observer or a region first needs it. Until then, the
/// application may set its own authorizer. Once installed, this authorizer stays installed, because
/// setting or removing an authorizer makes SQLite reprepare all statements
/// (https://sqlite.org/c3ref/set_authorizer.html).
final class StatementAuthorizer {
    private unowned let database: Database

    private(set) var isInstalled = false

    /// The number of changes to the set of change observers.
    private(set) var epoch = 0

    /// The epoch in which SQLite last expired all prepared statements.
    private var expiryEpoch = 0

    private var notes: Notes?

    /// Whether the statement being prepared drops an object.
    ///
    /// Observers do not receive the row deletions of a drop, and the authorizer must not return
    /// `SQLITE_IGNORE` for them.
    private var isDropping = false

    private struct Notes {
        var tables: [SQLName: TableRegion] = [:]
        var eventKinds: [DatabaseEventKind] = []
    }

    init(_ database: Database) { self.database = database }

    /// Installs the authorizer, which makes SQLite reprepare each statement when it next runs.
    func install() {
        isInstalled = true
        expiryEpoch = epoch
        sqlite3_set_authorizer(
            database.handle,
            { context, action, first, second, _, _ in
                guard let context else { return SQLITE_OK }
                return Unmanaged<StatementAuthorizer>.fromOpaque(context)
                    ._withUnsafeGuaranteedRef { $0.authorize(action, first: first, second: second) }
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    func uninstall() {
        guard isInstalled else { return }
        isInstalled = false
        sqlite3_set_authorizer(database.handle, nil, nil)
    }

    func observersDidChange() { epoch += 1 }

    /// Makes SQLite reprepare a statement if necessary to report the statement's deletions.
    ///
    /// A statement that was prepared without an observer of deletions may delete all rows of a
    /// table in one step.
    func statementWillExecute(_ statement: Statement) {
        isDropping = false
        guard max(statement.preparationEpoch, expiryEpoch) < epoch, statement.mayDelete else {
            return
        }
        install()
    }

    func analysis(whilePreparing preparation: () -> Void) -> StatementAnalysis {
        notes = Notes()
        isDropping = false
        defer {
            notes = nil
            isDropping = false
        }
        preparation()
        return StatementAnalysis(
            region: DatabaseRegion(tables: notes?.tables ?? [:]),
            eventKinds: notes?.eventKinds ?? []
        )
    }

    private func authorize(
        _ action: CInt,
        first: UnsafePointer<CChar>?,
        second: UnsafePointer<CChar>?
    ) -> CInt {
        switch action {
        case SQLITE_DROP_TABLE, SQLITE_DROP_VTABLE, SQLITE_DROP_TEMP_TABLE, SQLITE_DROP_INDEX,
            SQLITE_DROP_TEMP_INDEX, SQLITE_DROP_VIEW, SQLITE_DROP_TEMP_VIEW, SQLITE_DROP_TRIGGER,
            SQLITE_DROP_TEMP_TRIGGER:
            isDropping = true
        case SQLITE_DELETE:
            return authorizeDelete(first)
        case SQLITE_READ where notes != nil:
            if let first, let second {
                recordRead(String(cString: first), column: String(cString: second))
            }
        case SQLITE_INSERT where notes != nil:
            if let first { notes?.eventKinds.append(.insert(tableName: String(cString: first))) }
        case SQLITE_UPDATE where notes != nil:
            if let first, let second {
                recordUpdate(of: String(cString: first), String(cString: second))
            }
        default: break
        }
        return SQLITE_OK
    }

    /// Returns `SQLITE_IGNORE` if an observer observes deletions in the table.
    ///
    /// SQLite then still deletes the rows, but individually, as the update hook requires
    /// (https://sqlite.org/lang_delete.html#the_truncate_optimization).
    private func authorizeDelete(_ name: UnsafePointer<CChar>?) -> CInt {
        guard !isDropping, let name else { return SQLITE_OK }
        let table = String(cString: name)
        // SQLite deletes schema rows internally, and would keep them if the authorizer returned
        // `SQLITE_IGNORE`.
        if table == "sqlite_master" || table == "sqlite_temp_master" { return SQLITE_OK }
        notes?.eventKinds.append(.delete(tableName: table))
        return database.observationBroker?.observesDeletions(in: table) == true
            ? SQLITE_IGNORE : SQLITE_OK
    }

    private func recordRead(_ table: String, column: String) {
        // `SELECT COUNT(*)` reads a column with an empty name, and depends on the whole table.
        let columns: Set<SQLName>? = column.isEmpty ? nil : [SQLName(column)]
        let name = SQLName(table)
        let region = TableRegion(columns: columns)
        let known = notes?.tables[name]
        notes?.tables[name] = known?.union(region) ?? region
    }

    private func recordUpdate(of table: String, _ column: String) {
        let kinds = notes?.eventKinds ?? []
        for (index, kind) in kinds.enumerated() {
            guard case .update(table, var columns) = kind else { continue }
            columns.insert(column)
            notes?.eventKinds[index] = .update(tableName: table, columnNames: columns)
            return
        }
        notes?.eventKinds.append(.update(tableName: table, columnNames: [column]))
    }
}

struct StatementAnalysis {
    var region: DatabaseRegion
    var eventKinds: [DatabaseEventKind]
}

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
            throw database.makeError(
                ResultCode(rawValue: code),
                message: nil,
                sql: sql,
                arguments: nil
            )
        }
        self.analysis = analysis
        analysisVersion = version
        return analysis
    }
}
