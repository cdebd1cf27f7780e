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
