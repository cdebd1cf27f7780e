import CSQLite
import Foundation

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
