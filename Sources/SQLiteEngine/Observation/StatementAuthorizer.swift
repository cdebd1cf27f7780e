import CSQLite

/// Learns from SQLite what a statement reads and changes, while it is being prepared.
///
/// It is installed when somebody first needs to know: an observer of changes, or a region. Until
/// then the connection's authorizer is free for the user. It then stays, since each change of the
/// authorizer makes SQLite prepare all statements anew
/// (https://sqlite.org/c3ref/set_authorizer.html).
final class StatementAuthorizer {
    private unowned let database: Database

    private(set) var isInstalled = false

    /// Counts the changes of who observes deletions.
    private(set) var epoch = 0

    /// The epoch in which SQLite was told to prepare all statements anew.
    private var expiryEpoch = 0

    /// Where what is being prepared is noted.
    private var notes: Notes?

    /// Whether the statement that is being prepared drops something: the rows that it deletes
    /// on the way are not told, and must not be ignored.
    private var isDropping = false

    private struct Notes {
        var tables: [SQLName: TableRegion] = [:]
        var eventKinds: [DatabaseEventKind] = []
    }

    init(_ database: Database) { self.database = database }

    /// Installs the authorizer; SQLite then prepares all statements anew when they next run.
    func install() {
        isInstalled = true
        expiryEpoch = epoch
        sqlite3_set_authorizer(
            database.handle,
            { context, action, first, second, _, _ in
                guard let context else { return SQLITE_OK }
                return Unmanaged<StatementAuthorizer>.fromOpaque(context)
                    ._withUnsafeGuaranteedRef { $0.authorize(action, first, second) }
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
    }

    func uninstall() {
        guard isInstalled else { return }
        isInstalled = false
        sqlite3_set_authorizer(database.handle, nil, nil)
    }

    /// Called when deletions may be observed that were not, or the other way round.
    func observersDidChange() { epoch += 1 }

    /// Called before a statement runs whose changes are observed; SQLite may prepare it anew.
    ///
    /// One that was prepared when nobody observed deletions would delete a whole table at once.
    func statementWillExecute(_ statement: Statement) {
        isDropping = false
        guard max(statement.preparationEpoch, expiryEpoch) < epoch, statement.mayDelete else {
            return
        }
        install()
    }

    /// Notes what `preparation` prepares.
    func noting(_ preparation: () -> Void) -> StatementAnalysis {
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
        _ first: UnsafePointer<CChar>?,
        _ second: UnsafePointer<CChar>?
    ) -> CInt {
        switch action {
        case SQLITE_DROP_TABLE, SQLITE_DROP_VTABLE, SQLITE_DROP_TEMP_TABLE, SQLITE_DROP_INDEX,
            SQLITE_DROP_TEMP_INDEX, SQLITE_DROP_VIEW, SQLITE_DROP_TEMP_VIEW, SQLITE_DROP_TRIGGER,
            SQLITE_DROP_TEMP_TRIGGER:
            isDropping = true
        case SQLITE_DELETE:
            return authorizeDelete(first)
        case SQLITE_READ where notes != nil:
            if let first, let second { noteRead(String(cString: first), String(cString: second)) }
        case SQLITE_INSERT where notes != nil:
            if let first { notes?.eventKinds.append(.insert(tableName: String(cString: first))) }
        case SQLITE_UPDATE where notes != nil:
            if let first, let second {
                noteUpdate(of: String(cString: first), String(cString: second))
            }
        default: break
        }
        return SQLITE_OK
    }

    /// Answers `SQLITE_IGNORE` where deletions are observed: the rows are deleted all the same,
    /// but one by one, as they have to be for the update hook to see them
    /// (https://sqlite.org/lang_delete.html#the_truncate_optimization).
    private func authorizeDelete(_ name: UnsafePointer<CChar>?) -> CInt {
        guard !isDropping, let name else { return SQLITE_OK }
        let table = String(cString: name)
        // These are deleted from behind the scenes, and would not be when ignored.
        if table == "sqlite_master" || table == "sqlite_temp_master" { return SQLITE_OK }
        notes?.eventKinds.append(.delete(tableName: table))
        return database.observationBroker?.observesDeletions(in: table) == true
            ? SQLITE_IGNORE : SQLITE_OK
    }

    private func noteRead(_ table: String, _ column: String) {
        // `SELECT COUNT(*)` reads a column without a name, and depends on all the table.
        let columns: Set<SQLName>? = column.isEmpty ? nil : [SQLName(column)]
        let name = SQLName(table)
        let region = TableRegion(columns: columns)
        let known = notes?.tables[name]
        notes?.tables[name] = known?.union(region) ?? region
    }

    private func noteUpdate(of table: String, _ column: String) {
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

/// What a statement reads and changes.
struct StatementAnalysis {
    var region: DatabaseRegion
    var eventKinds: [DatabaseEventKind]
}
