import CSQLite
import Foundation
import Telemetry

/// The file that the first connection of a pool or a queue opened.
///
/// All connections must use the same file. If another file replaces the database file, the open
/// connections continue to use the original file. A connection to the new file would combine the
/// new file's content with the original file's log, and the data of a write to the original file
/// would be lost. See https://sqlite.org/howtocorrupt.html, section 2.4.
final class OpenedFile: Sendable {
    private struct Identity: Equatable, Sendable {
        var device: dev_t
        var inode: ino_t

        /// Reads the identity of a file without opening it.
        ///
        /// Closing the file would release this process's locks on the file.
        init?(path: String) {
            var information = stat()
            guard stat(path, &information) == 0 else { return nil }
            device = information.st_dev
            inode = information.st_ino
        }
    }

    private struct Record: Sendable {
        let path: String
        let identity: Identity
    }

    private let path: String
    private let record = Lock<Record?>(nil)

    init(path: String) { self.path = path }

    /// Records the file that a connection has opened, unless a file is already recorded.
    ///
    /// A database in memory has no file.
    func record(_ database: Database) {
        // SQLite's name is an absolute path, so it remains valid if the program changes its folder.
        guard let name = sqlite3_db_filename(database.handle, "main"), name.pointee != 0 else {
            return
        }
        let path = String(cString: name)
        guard let identity = Identity(path: path) else { return }
        record.withLock { record in
            if record == nil { record = Record(path: path, identity: identity) }
        }
    }

    /// Checks, before another connection opens the file, that the path still refers to it.
    ///
    /// - Throws: `SQLITE_CANTOPEN` if another file has replaced the recorded file.
    func check() throws {
        // SQLite reports a missing file.
        guard let recorded = record.withLock({ $0 }),
            let found = Identity(path: path.hasPrefix("file:") ? recorded.path : path),
            found != recorded.identity
        else { return }
        throw error("another file has replaced the database file while it was open", "opening")
    }

    /// Returns the error for a write by a connection whose file has been removed or replaced, or
    /// `nil` if the file is still there.
    func errorAfterMove() -> DatabaseError? {
        let path = record.withLock { $0?.path } ?? path
        if Identity(path: path) != nil {
            return error(
                "another file has replaced the database file while it was open",
                "writing to"
            )
        }
        // Other errors, such as a missing permission, do not concern an open file.
        guard errno == ENOENT || errno == ENOTDIR else { return nil }
        return error("the database file was removed or renamed while it was open", "writing to")
    }

    private func error(_ problem: String, _ action: String) -> DatabaseError {
        var error = DatabaseError(resultCode: .SQLITE_CANTOPEN, message: problem)
        error.explanation =
            "while \(action) `\(path)`: close the database, and open it again; to "
            + "replace the content of an open database, use `backup(to:)`"
        return error
    }
}

extension Database {
    /// Checks, before a write, that the data will be in the database files.
    ///
    /// SQLite makes this check only when it creates a rollback journal (`databaseIsUnmoved`).
    ///
    /// - Throws: `SQLITE_CANTOPEN` if a file has been removed or replaced.
    @inline(__always)
    func checkFilesBeforeWrite() throws {
        if let openedFile { try check(openedFile) }
    }

    @inline(never)
    private func check(_ file: OpenedFile) throws {
        try checkMainFile(file)
        guard kept.pointee.hasAttachedDatabase else { return }
        for name in try databaseNames() where name != "main" && name != "temp" && hasMoved(name) {
            guard let path = sqlite3_db_filename(handle, name).map({ String(cString: $0) }),
                let error = OpenedFile(path: path).errorAfterMove()
            else { continue }
            throw error
        }
    }

    private func checkMainFile(_ file: OpenedFile) throws {
        #if os(Linux)
        let change = movedFileWatch?.lastChange()
        if let change, change == seenChange { return }
        #endif
        if hasMoved("main") {
            if let error = file.errorAfterMove() { throw error }
            return
        }
        #if os(Linux)
        if let change { seenChange = change }
        #endif
    }

    /// Returns whether the path of a database no longer refers to the open file.
    func hasMoved(_ database: String) -> Bool {
        var hasMoved: CInt = 0
        let code = sqlite3_file_control(handle, database, SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        return code == SQLITE_OK && hasMoved != 0
    }
}
