/// The primary codes of <https://www.sqlite.org/rescode.html>, with their C names.
extension ResultCode {
    /// Success.
    public static let SQLITE_OK = ResultCode(rawValue: 0)
    /// A generic error, such as an error in the SQL text.
    public static let SQLITE_ERROR = ResultCode(rawValue: 1)
    /// A defect inside SQLite.
    public static let SQLITE_INTERNAL = ResultCode(rawValue: 2)
    /// SQLite could not set the requested access mode of a new file.
    public static let SQLITE_PERM = ResultCode(rawValue: 3)
    /// An operation was aborted before it was complete.
    public static let SQLITE_ABORT = ResultCode(rawValue: 4)
    /// Another connection holds a lock on the file.
    public static let SQLITE_BUSY = ResultCode(rawValue: 5)
    /// Another statement on the same connection or shared cache holds a lock.
    public static let SQLITE_LOCKED = ResultCode(rawValue: 6)
    /// Out of memory.
    public static let SQLITE_NOMEM = ResultCode(rawValue: 7)
    /// A write to a read-only database or connection.
    public static let SQLITE_READONLY = ResultCode(rawValue: 8)
    /// `sqlite3_interrupt` stopped the operation.
    public static let SQLITE_INTERRUPT = ResultCode(rawValue: 9)
    /// The operating system reported an input or output error.
    public static let SQLITE_IOERR = ResultCode(rawValue: 10)
    /// The database file is damaged.
    public static let SQLITE_CORRUPT = ResultCode(rawValue: 11)
    /// An unknown file control, or an unknown name inside SQLite.
    public static let SQLITE_NOTFOUND = ResultCode(rawValue: 12)
    /// The disk or the database is full.
    public static let SQLITE_FULL = ResultCode(rawValue: 13)
    /// A file could not be opened.
    public static let SQLITE_CANTOPEN = ResultCode(rawValue: 14)
    /// The locking protocol of the write-ahead log failed.
    public static let SQLITE_PROTOCOL = ResultCode(rawValue: 15)
    /// Not currently used.
    public static let SQLITE_EMPTY = ResultCode(rawValue: 16)
    /// The schema changed while a statement ran.
    public static let SQLITE_SCHEMA = ResultCode(rawValue: 17)
    /// A string or a blob is too large.
    public static let SQLITE_TOOBIG = ResultCode(rawValue: 18)
    /// A constraint was violated.
    public static let SQLITE_CONSTRAINT = ResultCode(rawValue: 19)
    /// A value has the wrong type.
    public static let SQLITE_MISMATCH = ResultCode(rawValue: 20)
    /// The library was used incorrectly.
    public static let SQLITE_MISUSE = ResultCode(rawValue: 21)
    /// The file is larger than the system supports.
    public static let SQLITE_NOLFS = ResultCode(rawValue: 22)
    /// The authorizer denied a statement.
    public static let SQLITE_AUTH = ResultCode(rawValue: 23)
    /// Not currently used.
    public static let SQLITE_FORMAT = ResultCode(rawValue: 24)
    /// The index of a parameter or column is out of range.
    public static let SQLITE_RANGE = ResultCode(rawValue: 25)
    /// The file is not a database.
    public static let SQLITE_NOTADB = ResultCode(rawValue: 26)
    /// A notice for the log.
    public static let SQLITE_NOTICE = ResultCode(rawValue: 27)
    /// A warning for the log.
    public static let SQLITE_WARNING = ResultCode(rawValue: 28)
    /// A step produced a row.
    public static let SQLITE_ROW = ResultCode(rawValue: 100)
    /// A step completed the statement.
    public static let SQLITE_DONE = ResultCode(rawValue: 101)
}
