import CSQLite
import Foundation

extension Database {
    /// Opens a connection and runs the configuration's setup closures on it.
    ///
    /// `entersWAL` indicates that a call to ``switchToWAL(path:)`` follows. In this case,
    /// `synchronous` is `NORMAL` unless the configuration's closures change it. `busyMode`
    /// overrides the configuration's busy mode.
    ///
    /// - Throws: A ``DatabaseError`` that contains the path, or an error from one of the
    ///   configuration's closures.
    static func open(
        path: String,
        configuration: Configuration,
        label: String,
        isReadOnly: Bool = false,
        entersWAL: Bool = false,
        busyMode: BusyMode? = nil,
        probe: ConnectionProbe,
        suspension: Suspension = Suspension()
    ) throws -> Database {
        let isReadOnly = isReadOnly || configuration.readonly
        let mode = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        var handle: SQLiteConnection?
        let code = sqlite3_open_v2(path, &handle, mode | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let handle else {
            let message = handle.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) }
            sqlite3_close_v2(handle)
            let error = DatabaseError(resultCode: ResultCode(rawValue: code), message: message)
            throw OpeningFailure(path: path, isReadOnly: isReadOnly).explain(error)
        }
        let database = Database(
            sqliteConnection: handle,
            path: path,
            configuration: configuration,
            label: label,
            isReadOnly: isReadOnly,
            probe: probe,
            suspension: suspension
        )
        database.schemaGeneration = SchemaGeneration.shared(path: path)
        do {
            try database.setUp(busyMode: busyMode ?? configuration.busyMode)
            if entersWAL { try database.setNormalSynchronous() }
            for setup in configuration.setups { try setup(database) }
            if let failure = database.additionFailure { throw failure }
            try database.checkReadable()
        } catch {
            database.closeIgnoringErrors()
            throw error
        }
        configuration.connectionDidOpen?()
        database.isAnnounced = true
        return database
    }

    private func setUp(busyMode: BusyMode) throws {
        sqlite3_extended_result_codes(handle, 1)
        probe.install(busyMode: busyMode, on: handle)
        let accepts: CInt = configuration.acceptsDoubleQuotedStringLiterals ? 1 : 0
        try check(poolgauge_db_config(handle, SQLITE_DBCONFIG_DQS_DML, accepts, nil))
        try check(poolgauge_db_config(handle, SQLITE_DBCONFIG_DQS_DDL, accepts, nil))
        try check(
            poolgauge_db_config(
                handle,
                SQLITE_DBCONFIG_ENABLE_FKEY,
                configuration.foreignKeysEnabled ? 1 : 0,
                nil
            )
        )
        try addPredefinedFunctionsAndCollations()
    }

    /// Sets `synchronous = NORMAL` before the configuration's closures run.
    ///
    /// The closures can change the value.
    ///
    /// The pragma reads the schema, which can fail. This method throws only `SQLITE_BUSY`, because
    /// a temporary lock must not determine the value of the setting. ``checkReadable()`` detects
    /// any other error after the closures have run. If a closure makes the file readable, SQLite's
    /// default (`FULL`) stays in effect.
    private func setNormalSynchronous() throws {
        do {
            try execute(sql: "PRAGMA synchronous = NORMAL")
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            throw explained(error)
        } catch is DatabaseError {}
    }

    /// Reads the schema, so that opening fails if the file is encrypted or not a database.
    private func checkReadable() throws {
        do {
            try execute(sql: "SELECT * FROM sqlite_master LIMIT 1")
        } catch let error as DatabaseError {
            throw explained(error)
        }
    }

    /// Returns the error with the path and without the engine's statement.
    private func explained(_ error: DatabaseError) -> DatabaseError {
        let error = DatabaseError(resultCode: error.extendedResultCode, message: error.message)
        return OpeningFailure(path: path, isReadOnly: isReadOnlyConnection).explain(error)
    }

    func check(_ code: CInt) throws {
        guard code == SQLITE_OK else {
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: lastErrorMessage)
        }
    }

    /// Closes the connection, even if statements are not finalized.
    ///
    /// An unfinalized statement leaves a zombie connection, which closes when its last statement is
    /// finalized.
    func closeIgnoringErrors() {
        guard let handle else { return }
        removeCachedStatements()
        transactionStatements.finalize()
        removeHooks()
        willClose(handle)
        sqlite3_close_v2(handle)
        didClose()
    }

    private func willClose(_ handle: SQLiteConnection) {
        if isAnnounced { configuration.connectionWillClose?(handle) }
    }

    private func didClose() {
        clearConnection()
        guard isAnnounced else { return }
        isAnnounced = false
        configuration.connectionDidClose?()
    }

    /// Removes the hooks that call this object, because a zombie connection can outlive the object.
    private func removeHooks() {
        observationBroker?.uninstall()
        authorizer?.uninstall()
        if traceHandler != nil { trace() }
    }
}

/// An analysis of why a file cannot be opened as a database.
///
/// This type checks only names and permissions, because opening and closing the file would release
/// any locks that this process holds on the file. See https://sqlite.org/howtocorrupt.html,
/// section 2.2.
struct OpeningFailure {
    let path: String
    let isReadOnly: Bool

    /// Returns the error with the path, the reason, and a remedy.
    func explain(_ error: DatabaseError) -> DatabaseError {
        var error = error
        let reason = reason(for: error)
        error.explanation = "while opening `\(path)`" + (reason.map { ": \($0)" } ?? "")
        return error
    }

    /// Returns the reason and a remedy for an error of a connection that is already open, if known.
    func explanation(whileOpen code: ResultCode) -> String? {
        switch code {
        case .SQLITE_READONLY_DBMOVED:
            "the file `\(path)` was moved, replaced, or deleted while the database was open; close "
                + "the database, and open it again"
        case .SQLITE_READONLY_DIRECTORY:
            "no journal can be created in the folder `\(folder)`; change its permissions"
        // SQLite opens a file without write permission for reading.
        case .SQLITE_READONLY where !isReadOnly && isWritingForbidden:
            "the file is not writable; change its permissions, and open the database again"
        default: nil
        }
    }

    private var isWritingForbidden: Bool {
        access(path, W_OK) != 0 && (errno == EACCES || errno == EROFS)
    }

    private func reason(for error: DatabaseError) -> String? {
        guard let information = status(of: path) else { return reasonForAbsence() }
        if information.st_mode & S_IFMT == S_IFDIR {
            return "this is a folder; specify the path of a file in it"
        }
        switch error.resultCode {
        case .SQLITE_NOTADB:
            return "the file is encrypted or not a database; a database starts with the text "
                + "“SQLite format 3”"
        case .SQLITE_CORRUPT, .SQLITE_IOERR:
            return "the file (\(information.st_size) bytes) is truncated or damaged; use a "
                + "backup, or the `.recover` command of the sqlite3 shell"
        case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
            return reasonForPermission()
        default:
            return nil
        }
    }

    private func reasonForAbsence() -> String? {
        let folder = self.folder
        guard let information = status(of: folder) else {
            return "the folder `\(folder)` does not exist; create it first"
        }
        guard information.st_mode & S_IFMT == S_IFDIR else {
            return "`\(folder)` is a file, not a folder"
        }
        if isReadOnly {
            return "the file does not exist, and a read-only connection does not create it"
        }
        guard access(folder, W_OK | X_OK) == 0 else {
            return "the file does not exist and cannot be created in `\(folder)`; change the "
                + "folder's permissions, or choose another folder"
        }
        return nil
    }

    private func reasonForPermission() -> String? {
        guard access(path, R_OK) == 0 else {
            return "the file is not readable; change its permissions"
        }
        if isReadOnly {
            guard status(of: path + "-wal") != nil, status(of: path + "-shm") != nil else {
                return "a database in WAL mode requires its `-wal` and `-shm` files, and "
                    + "a read-only connection does not create them; open it for writing once, "
                    + "or keep the files with SQLITE_FCNTL_PERSIST_WAL"
            }
            return nil
        }
        guard access(path, W_OK) == 0 else {
            return "the file is not writable; change its permissions, or set "
                + "`Configuration.readonly`"
        }
        guard access(folder, W_OK | X_OK) == 0 else {
            return "no journal can be created in the folder `\(folder)`; change its permissions"
        }
        return nil
    }

    private var folder: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private func status(of path: String) -> stat? {
        var information = stat()
        return stat(path, &information) == 0 ? information : nil
    }
}
