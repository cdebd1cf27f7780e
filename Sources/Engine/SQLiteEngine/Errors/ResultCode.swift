import CSQLite

/// An SQLite result code, primary or extended.
///
/// Any integer is a valid code, because future versions of SQLite may return codes that this
/// library does not define. In a pattern, a primary code matches all of its extended codes, and an
/// extended code matches only itself:
///
/// ```swift
/// do {
///     try pool.write { db in try player.insert(db) }
/// } catch DatabaseError.SQLITE_CONSTRAINT_UNIQUE {  // the more specific code first
///     print("A player with this name already exists.")
/// } catch DatabaseError.SQLITE_CONSTRAINT {
///     print("The player violates another constraint.")
/// }
/// ```
public struct ResultCode: ResultCodes, RawRepresentable, Hashable, Sendable {
    /// The integer value in C.
    public let rawValue: CInt

    /// Creates a code from its integer value in C.
    public init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// The primary code, which is the low byte.
    public var primaryResultCode: ResultCode { ResultCode(rawValue: rawValue & 0xFF) }

    /// Returns an extended code of this primary code.
    func extended(_ number: CInt) -> ResultCode { ResultCode(rawValue: rawValue | number << 8) }

    /// SQLite's description of the code, in English.
    var message: String? { sqlite3_errstr(rawValue).map { String(cString: $0) } }

    /// Returns whether `code` is `pattern` or one of its extended codes.
    public static func ~= (pattern: ResultCode, code: ResultCode) -> Bool {
        pattern == code || pattern == code.primaryResultCode
    }

    /// Returns whether `error` is a ``DatabaseError`` with the code `pattern` or one of its
    /// extended codes.
    public static func ~= (pattern: ResultCode, error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        return pattern ~= error.extendedResultCode
    }
}

extension ResultCode: CustomStringConvertible {
    /// The value, the name, and the meaning, such as `2067 (SQLITE_CONSTRAINT_UNIQUE: constraint
    /// failed)`.
    public var description: String {
        let meaning = [name, message].compactMap(\.self).joined(separator: ": ")
        return meaning.isEmpty ? "\(rawValue)" : "\(rawValue) (\(meaning))"
    }
}

/// The extended result codes of <https://www.sqlite.org/rescode.html>.
///
/// The low byte is the primary code, and the next byte is the argument of `extended(_:)`.
extension ResultCodes {
    /// A loadable extension must stay loaded until the process ends.
    public static var SQLITE_OK_LOAD_PERMANENTLY: ResultCode { SQLITE_OK.extended(1) }
    /// A path contains a symbolic link.
    ///
    /// This code is used only inside SQLite.
    public static var SQLITE_OK_SYMLINK: ResultCode { SQLITE_OK.extended(2) }
    /// A statement uses a collation that does not exist.
    public static var SQLITE_ERROR_MISSING_COLLSEQ: ResultCode { SQLITE_ERROR.extended(1) }
    /// A statement must be prepared again.
    ///
    /// This code is used only inside SQLite.
    public static var SQLITE_ERROR_RETRY: ResultCode { SQLITE_ERROR.extended(2) }
    /// A historical snapshot is no longer available.
    public static var SQLITE_ERROR_SNAPSHOT: ResultCode { SQLITE_ERROR.extended(3) }
    /// The transaction was rolled back while the statement was running.
    public static var SQLITE_ABORT_ROLLBACK: ResultCode { SQLITE_ABORT.extended(2) }
    /// Another process is recovering the write-ahead log after a crash.
    public static var SQLITE_BUSY_RECOVERY: ResultCode { SQLITE_BUSY.extended(1) }
    /// A read transaction cannot write, because its state is not the last committed state.
    public static var SQLITE_BUSY_SNAPSHOT: ResultCode { SQLITE_BUSY.extended(2) }
    /// A blocking request for a file lock timed out.
    public static var SQLITE_BUSY_TIMEOUT: ResultCode { SQLITE_BUSY.extended(3) }
    /// Another connection that uses the same shared cache holds a lock.
    public static var SQLITE_LOCKED_SHAREDCACHE: ResultCode { SQLITE_LOCKED.extended(1) }
    /// A lock prevents an operation on a virtual table.
    public static var SQLITE_LOCKED_VTAB: ResultCode { SQLITE_LOCKED.extended(2) }
    /// The write-ahead log must be recovered, but the database is read-only.
    public static var SQLITE_READONLY_RECOVERY: ResultCode { SQLITE_READONLY.extended(1) }
    /// A database in WAL mode cannot be locked, because its `-shm` file is read-only.
    public static var SQLITE_READONLY_CANTLOCK: ResultCode { SQLITE_READONLY.extended(2) }
    /// A journal must be rolled back, but the database is read-only.
    public static var SQLITE_READONLY_ROLLBACK: ResultCode { SQLITE_READONLY.extended(3) }
    /// The database file was moved after it was opened.
    public static var SQLITE_READONLY_DBMOVED: ResultCode { SQLITE_READONLY.extended(4) }
    /// The `-shm` file must be initialized, but is read-only.
    public static var SQLITE_READONLY_CANTINIT: ResultCode { SQLITE_READONLY.extended(5) }
    /// No journal can be created, because the folder is read-only.
    public static var SQLITE_READONLY_DIRECTORY: ResultCode { SQLITE_READONLY.extended(6) }
    /// Reading a file failed.
    public static var SQLITE_IOERR_READ: ResultCode { SQLITE_IOERR.extended(1) }
    /// A file ended before all requested bytes were read.
    public static var SQLITE_IOERR_SHORT_READ: ResultCode { SQLITE_IOERR.extended(2) }
    /// Writing to a file failed.
    public static var SQLITE_IOERR_WRITE: ResultCode { SQLITE_IOERR.extended(3) }
    /// Flushing a file to the disk failed.
    public static var SQLITE_IOERR_FSYNC: ResultCode { SQLITE_IOERR.extended(4) }
    /// Flushing a folder to the disk failed.
    public static var SQLITE_IOERR_DIR_FSYNC: ResultCode { SQLITE_IOERR.extended(5) }
    /// Truncating a file failed.
    public static var SQLITE_IOERR_TRUNCATE: ResultCode { SQLITE_IOERR.extended(6) }
    /// Reading the properties of a file failed.
    public static var SQLITE_IOERR_FSTAT: ResultCode { SQLITE_IOERR.extended(7) }
    /// Releasing a file lock failed.
    public static var SQLITE_IOERR_UNLOCK: ResultCode { SQLITE_IOERR.extended(8) }
    /// Acquiring a read lock on a file failed.
    public static var SQLITE_IOERR_RDLOCK: ResultCode { SQLITE_IOERR.extended(9) }
    /// Deleting a file failed.
    public static var SQLITE_IOERR_DELETE: ResultCode { SQLITE_IOERR.extended(10) }
    /// Not currently used.
    public static var SQLITE_IOERR_BLOCKED: ResultCode { SQLITE_IOERR.extended(11) }
    /// A file operation failed because memory was exhausted.
    public static var SQLITE_IOERR_NOMEM: ResultCode { SQLITE_IOERR.extended(12) }
    /// Checking the existence or the permissions of a file failed.
    public static var SQLITE_IOERR_ACCESS: ResultCode { SQLITE_IOERR.extended(13) }
    /// Checking a file for a reserved lock failed.
    public static var SQLITE_IOERR_CHECKRESERVEDLOCK: ResultCode { SQLITE_IOERR.extended(14) }
    /// Acquiring a file lock failed.
    public static var SQLITE_IOERR_LOCK: ResultCode { SQLITE_IOERR.extended(15) }
    /// Closing a file failed.
    public static var SQLITE_IOERR_CLOSE: ResultCode { SQLITE_IOERR.extended(16) }
    /// Not currently used.
    public static var SQLITE_IOERR_DIR_CLOSE: ResultCode { SQLITE_IOERR.extended(17) }
    /// Opening a `-shm` file failed.
    public static var SQLITE_IOERR_SHMOPEN: ResultCode { SQLITE_IOERR.extended(18) }
    /// Enlarging a `-shm` file failed.
    public static var SQLITE_IOERR_SHMSIZE: ResultCode { SQLITE_IOERR.extended(19) }
    /// Not currently used.
    public static var SQLITE_IOERR_SHMLOCK: ResultCode { SQLITE_IOERR.extended(20) }
    /// Mapping a `-shm` file failed.
    public static var SQLITE_IOERR_SHMMAP: ResultCode { SQLITE_IOERR.extended(21) }
    /// Seeking in a file failed.
    public static var SQLITE_IOERR_SEEK: ResultCode { SQLITE_IOERR.extended(22) }
    /// A file to delete does not exist.
    public static var SQLITE_IOERR_DELETE_NOENT: ResultCode { SQLITE_IOERR.extended(23) }
    /// Mapping or unmapping a part of the database file failed.
    public static var SQLITE_IOERR_MMAP: ResultCode { SQLITE_IOERR.extended(24) }
    /// No folder for temporary files was found.
    public static var SQLITE_IOERR_GETTEMPPATH: ResultCode { SQLITE_IOERR.extended(25) }
    /// Converting a path failed on Cygwin.
    public static var SQLITE_IOERR_CONVPATH: ResultCode { SQLITE_IOERR.extended(26) }
    /// Reserved for extensions.
    public static var SQLITE_IOERR_VNODE: ResultCode { SQLITE_IOERR.extended(27) }
    /// Reserved for extensions.
    public static var SQLITE_IOERR_AUTH: ResultCode { SQLITE_IOERR.extended(28) }
    /// Starting an atomic batch of writes failed.
    public static var SQLITE_IOERR_BEGIN_ATOMIC: ResultCode { SQLITE_IOERR.extended(29) }
    /// Committing an atomic batch of writes failed.
    public static var SQLITE_IOERR_COMMIT_ATOMIC: ResultCode { SQLITE_IOERR.extended(30) }
    /// Rolling back an atomic batch of writes failed.
    public static var SQLITE_IOERR_ROLLBACK_ATOMIC: ResultCode { SQLITE_IOERR.extended(31) }
    /// The checksum of a page is incorrect.
    public static var SQLITE_IOERR_DATA: ResultCode { SQLITE_IOERR.extended(32) }
    /// The file system may be damaged.
    public static var SQLITE_IOERR_CORRUPTFS: ResultCode { SQLITE_IOERR.extended(33) }
    /// Access to a memory-mapped file failed.
    public static var SQLITE_IOERR_IN_PAGE: ResultCode { SQLITE_IOERR.extended(34) }
    /// The content of a virtual table is damaged.
    public static var SQLITE_CORRUPT_VTAB: ResultCode { SQLITE_CORRUPT.extended(1) }
    /// The schema of the `sqlite_sequence` table is damaged.
    public static var SQLITE_CORRUPT_SEQUENCE: ResultCode { SQLITE_CORRUPT.extended(2) }
    /// An entry is missing from an index.
    public static var SQLITE_CORRUPT_INDEX: ResultCode { SQLITE_CORRUPT.extended(3) }
    /// Not currently used.
    public static var SQLITE_CANTOPEN_NOTEMPDIR: ResultCode { SQLITE_CANTOPEN.extended(1) }
    /// The path refers to a folder.
    public static var SQLITE_CANTOPEN_ISDIR: ResultCode { SQLITE_CANTOPEN.extended(2) }
    /// The full path of the file could not be determined.
    public static var SQLITE_CANTOPEN_FULLPATH: ResultCode { SQLITE_CANTOPEN.extended(3) }
    /// Converting the path of the file failed on Cygwin.
    public static var SQLITE_CANTOPEN_CONVPATH: ResultCode { SQLITE_CANTOPEN.extended(4) }
    /// Not currently used.
    public static var SQLITE_CANTOPEN_DIRTYWAL: ResultCode { SQLITE_CANTOPEN.extended(5) }
    /// The file is a symbolic link, which the flags do not allow.
    public static var SQLITE_CANTOPEN_SYMLINK: ResultCode { SQLITE_CANTOPEN.extended(6) }
    /// A `CHECK` constraint was violated.
    public static var SQLITE_CONSTRAINT_CHECK: ResultCode { SQLITE_CONSTRAINT.extended(1) }
    /// A commit hook rolled back the transaction.
    public static var SQLITE_CONSTRAINT_COMMITHOOK: ResultCode { SQLITE_CONSTRAINT.extended(2) }
    /// A foreign key constraint was violated.
    public static var SQLITE_CONSTRAINT_FOREIGNKEY: ResultCode { SQLITE_CONSTRAINT.extended(3) }
    /// An SQL function of an extension reported a constraint violation.
    public static var SQLITE_CONSTRAINT_FUNCTION: ResultCode { SQLITE_CONSTRAINT.extended(4) }
    /// A `NOT NULL` constraint was violated.
    public static var SQLITE_CONSTRAINT_NOTNULL: ResultCode { SQLITE_CONSTRAINT.extended(5) }
    /// A `PRIMARY KEY` constraint was violated.
    public static var SQLITE_CONSTRAINT_PRIMARYKEY: ResultCode { SQLITE_CONSTRAINT.extended(6) }
    /// A trigger called `RAISE`.
    public static var SQLITE_CONSTRAINT_TRIGGER: ResultCode { SQLITE_CONSTRAINT.extended(7) }
    /// A `UNIQUE` constraint was violated.
    public static var SQLITE_CONSTRAINT_UNIQUE: ResultCode { SQLITE_CONSTRAINT.extended(8) }
    /// A virtual table reported a constraint violation.
    public static var SQLITE_CONSTRAINT_VTAB: ResultCode { SQLITE_CONSTRAINT.extended(9) }
    /// A rowid is not unique.
    public static var SQLITE_CONSTRAINT_ROWID: ResultCode { SQLITE_CONSTRAINT.extended(10) }
    /// A trigger tried to delete the row that the statement was updating.
    public static var SQLITE_CONSTRAINT_PINNED: ResultCode { SQLITE_CONSTRAINT.extended(11) }
    /// A value does not have the type of its column in a `STRICT` table.
    public static var SQLITE_CONSTRAINT_DATATYPE: ResultCode { SQLITE_CONSTRAINT.extended(12) }
    /// The user is not authorized to perform the operation.
    public static var SQLITE_AUTH_USER: ResultCode { SQLITE_AUTH.extended(1) }
    /// A write-ahead log was recovered.
    public static var SQLITE_NOTICE_RECOVER_WAL: ResultCode { SQLITE_NOTICE.extended(1) }
    /// A journal was rolled back.
    public static var SQLITE_NOTICE_RECOVER_ROLLBACK: ResultCode { SQLITE_NOTICE.extended(2) }
    /// Used inside the RBU extension.
    public static var SQLITE_NOTICE_RBU: ResultCode { SQLITE_NOTICE.extended(3) }
    /// SQLite created an automatic index for a statement.
    public static var SQLITE_WARNING_AUTOINDEX: ResultCode { SQLITE_WARNING.extended(1) }
}

/// A type that provides the result codes as static members: ``ResultCode`` and ``DatabaseError``.
///
/// Both types provide the codes, because a pattern such as `catch DatabaseError.SQLITE_CONSTRAINT`
/// names the type of the error.
public protocol ResultCodes {}

/// The primary codes of <https://www.sqlite.org/rescode.html>, with their C names.
extension ResultCodes {
    /// Success.
    public static var SQLITE_OK: ResultCode { ResultCode(rawValue: 0) }
    /// A generic error, such as an error in the SQL text.
    public static var SQLITE_ERROR: ResultCode { ResultCode(rawValue: 1) }
    /// A defect inside SQLite.
    public static var SQLITE_INTERNAL: ResultCode { ResultCode(rawValue: 2) }
    /// SQLite could not set the requested access mode of a new file.
    public static var SQLITE_PERM: ResultCode { ResultCode(rawValue: 3) }
    /// An operation was aborted before it was complete.
    public static var SQLITE_ABORT: ResultCode { ResultCode(rawValue: 4) }
    /// Another connection holds a lock on the file.
    public static var SQLITE_BUSY: ResultCode { ResultCode(rawValue: 5) }
    /// Another statement on the same connection or shared cache holds a lock.
    public static var SQLITE_LOCKED: ResultCode { ResultCode(rawValue: 6) }
    /// Out of memory.
    public static var SQLITE_NOMEM: ResultCode { ResultCode(rawValue: 7) }
    /// A write to a read-only database or connection.
    public static var SQLITE_READONLY: ResultCode { ResultCode(rawValue: 8) }
    /// `sqlite3_interrupt` stopped the operation.
    public static var SQLITE_INTERRUPT: ResultCode { ResultCode(rawValue: 9) }
    /// The operating system reported an input or output error.
    public static var SQLITE_IOERR: ResultCode { ResultCode(rawValue: 10) }
    /// The database file is damaged.
    public static var SQLITE_CORRUPT: ResultCode { ResultCode(rawValue: 11) }
    /// An unknown file control, or an unknown name inside SQLite.
    public static var SQLITE_NOTFOUND: ResultCode { ResultCode(rawValue: 12) }
    /// The disk or the database is full.
    public static var SQLITE_FULL: ResultCode { ResultCode(rawValue: 13) }
    /// A file could not be opened.
    public static var SQLITE_CANTOPEN: ResultCode { ResultCode(rawValue: 14) }
    /// The locking protocol of the write-ahead log failed.
    public static var SQLITE_PROTOCOL: ResultCode { ResultCode(rawValue: 15) }
    /// Not currently used.
    public static var SQLITE_EMPTY: ResultCode { ResultCode(rawValue: 16) }
    /// The schema changed while a statement ran.
    public static var SQLITE_SCHEMA: ResultCode { ResultCode(rawValue: 17) }
    /// A string or a blob is too large.
    public static var SQLITE_TOOBIG: ResultCode { ResultCode(rawValue: 18) }
    /// A constraint was violated.
    public static var SQLITE_CONSTRAINT: ResultCode { ResultCode(rawValue: 19) }
    /// A value has the wrong type.
    public static var SQLITE_MISMATCH: ResultCode { ResultCode(rawValue: 20) }
    /// The library was used incorrectly.
    public static var SQLITE_MISUSE: ResultCode { ResultCode(rawValue: 21) }
    /// The file is larger than the system supports.
    public static var SQLITE_NOLFS: ResultCode { ResultCode(rawValue: 22) }
    /// The authorizer denied a statement.
    public static var SQLITE_AUTH: ResultCode { ResultCode(rawValue: 23) }
    /// Not currently used.
    public static var SQLITE_FORMAT: ResultCode { ResultCode(rawValue: 24) }
    /// The index of a parameter or column is out of range.
    public static var SQLITE_RANGE: ResultCode { ResultCode(rawValue: 25) }
    /// The file is not a database.
    public static var SQLITE_NOTADB: ResultCode { ResultCode(rawValue: 26) }
    /// A notice for the log.
    public static var SQLITE_NOTICE: ResultCode { ResultCode(rawValue: 27) }
    /// A warning for the log.
    public static var SQLITE_WARNING: ResultCode { ResultCode(rawValue: 28) }
    /// A step produced a row.
    public static var SQLITE_ROW: ResultCode { ResultCode(rawValue: 100) }
    /// A step completed the statement.
    public static var SQLITE_DONE: ResultCode { ResultCode(rawValue: 101) }
}

/// The names of the result codes.
///
/// The tables omit the prefix `SQLITE_`. The position of a word in its table determines the code
/// number. A hyphen marks an unassigned number.
extension ResultCode {
    /// The C name, such as `SQLITE_CONSTRAINT_UNIQUE`, or `nil` for a code that this library does
    /// not define.
    public var name: String? {
        let primary: String?
        switch rawValue & 0xFF {
        case 100: primary = "ROW"
        case 101: primary = "DONE"
        case let number: primary = Self.word(number, of: Self.primaryNames)
        }
        guard let primary else { return nil }
        if self == primaryResultCode { return "SQLITE_\(primary)" }
        let names = Self.extendedNames[rawValue & 0xFF] ?? ""
        return Self.word((rawValue >> 8) - 1, of: names).map { "SQLITE_\(primary)_\($0)" }
    }

    private static func word(_ position: CInt, of names: String) -> String? {
        let words = names.split(separator: " ")
        guard words.indices.contains(Int(position)), words[Int(position)] != "-" else { return nil }
        return String(words[Int(position)])
    }

    private static let primaryNames = """
        OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND \
        FULL CANTOPEN PROTOCOL EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT \
        RANGE NOTADB NOTICE WARNING
        """

    /// The names of the extended codes, keyed by primary code.
    ///
    /// The first word has number 1.
    private static let extendedNames: [CInt: String] = [
        0: "LOAD_PERMANENTLY SYMLINK",
        1: "MISSING_COLLSEQ RETRY SNAPSHOT",
        4: "- ROLLBACK",
        5: "RECOVERY SNAPSHOT TIMEOUT",
        6: "SHAREDCACHE VTAB",
        8: "RECOVERY CANTLOCK ROLLBACK DBMOVED CANTINIT DIRECTORY",
        10: """
        READ SHORT_READ WRITE FSYNC DIR_FSYNC TRUNCATE FSTAT UNLOCK RDLOCK DELETE BLOCKED \
        NOMEM ACCESS CHECKRESERVEDLOCK LOCK CLOSE DIR_CLOSE SHMOPEN SHMSIZE SHMLOCK SHMMAP \
        SEEK DELETE_NOENT MMAP GETTEMPPATH CONVPATH VNODE AUTH BEGIN_ATOMIC COMMIT_ATOMIC \
        ROLLBACK_ATOMIC DATA CORRUPTFS IN_PAGE
        """,
        11: "VTAB SEQUENCE INDEX",
        14: "NOTEMPDIR ISDIR FULLPATH CONVPATH DIRTYWAL SYMLINK",
        19: """
        CHECK COMMITHOOK FOREIGNKEY FUNCTION NOTNULL PRIMARYKEY TRIGGER UNIQUE VTAB ROWID \
        PINNED DATATYPE
        """,
        23: "USER",
        27: "RECOVER_WAL RECOVER_ROLLBACK RBU",
        28: "AUTOINDEX",
    ]
}
