/// The extended codes: the low byte is the primary code, and the next byte specifies it further.
extension ResultCode {
    /// `SQLITE_OK`, kind 1.
    public static let SQLITE_OK_LOAD_PERMANENTLY = ResultCode(rawValue: SQLITE_OK.rawValue | 1 << 8)
    /// `SQLITE_OK`, kind 2.
    public static let SQLITE_OK_SYMLINK = ResultCode(rawValue: SQLITE_OK.rawValue | 2 << 8)
    /// `SQLITE_ERROR`, kind 1.
    public static let SQLITE_ERROR_MISSING_COLLSEQ = ResultCode(
        rawValue: SQLITE_ERROR.rawValue | 1 << 8
    )
    /// `SQLITE_ERROR`, kind 2.
    public static let SQLITE_ERROR_RETRY = ResultCode(rawValue: SQLITE_ERROR.rawValue | 2 << 8)
    /// `SQLITE_ERROR`, kind 3.
    public static let SQLITE_ERROR_SNAPSHOT = ResultCode(rawValue: SQLITE_ERROR.rawValue | 3 << 8)
    /// `SQLITE_ABORT`, kind 2.
    public static let SQLITE_ABORT_ROLLBACK = ResultCode(rawValue: SQLITE_ABORT.rawValue | 2 << 8)
    /// `SQLITE_BUSY`, kind 1.
    public static let SQLITE_BUSY_RECOVERY = ResultCode(rawValue: SQLITE_BUSY.rawValue | 1 << 8)
    /// `SQLITE_BUSY`, kind 2.
    public static let SQLITE_BUSY_SNAPSHOT = ResultCode(rawValue: SQLITE_BUSY.rawValue | 2 << 8)
    /// `SQLITE_BUSY`, kind 3.
    public static let SQLITE_BUSY_TIMEOUT = ResultCode(rawValue: SQLITE_BUSY.rawValue | 3 << 8)
    /// `SQLITE_LOCKED`, kind 1.
    public static let SQLITE_LOCKED_SHAREDCACHE = ResultCode(
        rawValue: SQLITE_LOCKED.rawValue | 1 << 8
    )
    /// `SQLITE_LOCKED`, kind 2.
    public static let SQLITE_LOCKED_VTAB = ResultCode(rawValue: SQLITE_LOCKED.rawValue | 2 << 8)
    /// `SQLITE_READONLY`, kind 1.
    public static let SQLITE_READONLY_RECOVERY = ResultCode(
        rawValue: SQLITE_READONLY.rawValue | 1 << 8
    )
    /// `SQLITE_READONLY`, kind 2.
    public static let SQLITE_READONLY_CANTLOCK = ResultCode(
        rawValue: SQLITE_READONLY.rawValue | 2 << 8
    )
    /// `SQLITE_READONLY`, kind 3.
    public static let SQLITE_READONLY_ROLLBACK = ResultCode(
        rawValue: SQLITE_READONLY.rawValue | 3 << 8
    )
    /// `SQLITE_READONLY`, kind 4.
    public static let SQLITE_READONLY_DBMOVED = ResultCode(
        rawValue: SQLITE_READONLY.rawValue | 4 << 8
    )
    /// `SQLITE_READONLY`, kind 5.
    public static let SQLITE_READONLY_CANTINIT = ResultCode(
        rawValue: SQLITE_READONLY.rawValue | 5 << 8
    )
    /// `SQLITE_READONLY`, kind 6.
    public static let SQLITE_READONLY_DIRECTORY = ResultCode(
        rawValue: SQLITE_READONLY.rawValue | 6 << 8
    )
    /// `SQLITE_IOERR`, kind 1.
    public static let SQLITE_IOERR_READ = ResultCode(rawValue: SQLITE_IOERR.rawValue | 1 << 8)
    /// `SQLITE_IOERR`, kind 2.
    public static let SQLITE_IOERR_SHORT_READ = ResultCode(rawValue: SQLITE_IOERR.rawValue | 2 << 8)
    /// `SQLITE_IOERR`, kind 3.
    public static let SQLITE_IOERR_WRITE = ResultCode(rawValue: SQLITE_IOERR.rawValue | 3 << 8)
    /// `SQLITE_IOERR`, kind 4.
    public static let SQLITE_IOERR_FSYNC = ResultCode(rawValue: SQLITE_IOERR.rawValue | 4 << 8)
    /// `SQLITE_IOERR`, kind 5.
    public static let SQLITE_IOERR_DIR_FSYNC = ResultCode(rawValue: SQLITE_IOERR.rawValue | 5 << 8)
    /// `SQLITE_IOERR`, kind 6.
    public static let SQLITE_IOERR_TRUNCATE = ResultCode(rawValue: SQLITE_IOERR.rawValue | 6 << 8)
    /// `SQLITE_IOERR`, kind 7.
    public static let SQLITE_IOERR_FSTAT = ResultCode(rawValue: SQLITE_IOERR.rawValue | 7 << 8)
    /// `SQLITE_IOERR`, kind 8.
    public static let SQLITE_IOERR_UNLOCK = ResultCode(rawValue: SQLITE_IOERR.rawValue | 8 << 8)
    /// `SQLITE_IOERR`, kind 9.
    public static let SQLITE_IOERR_RDLOCK = ResultCode(rawValue: SQLITE_IOERR.rawValue | 9 << 8)
    /// `SQLITE_IOERR`, kind 10.
    public static let SQLITE_IOERR_DELETE = ResultCode(rawValue: SQLITE_IOERR.rawValue | 10 << 8)
    /// `SQLITE_IOERR`, kind 11.
    public static let SQLITE_IOERR_BLOCKED = ResultCode(rawValue: SQLITE_IOERR.rawValue | 11 << 8)
    /// `SQLITE_IOERR`, kind 12.
    public static let SQLITE_IOERR_NOMEM = ResultCode(rawValue: SQLITE_IOERR.rawValue | 12 << 8)
    /// `SQLITE_IOERR`, kind 13.
    public static let SQLITE_IOERR_ACCESS = ResultCode(rawValue: SQLITE_IOERR.rawValue | 13 << 8)
    /// `SQLITE_IOERR`, kind 14.
    public static let SQLITE_IOERR_CHECKRESERVEDLOCK = ResultCode(
        rawValue: SQLITE_IOERR.rawValue | 14 << 8
    )
    /// `SQLITE_IOERR`, kind 15.
    public static let SQLITE_IOERR_LOCK = ResultCode(rawValue: SQLITE_IOERR.rawValue | 15 << 8)
    /// `SQLITE_IOERR`, kind 16.
    public static let SQLITE_IOERR_CLOSE = ResultCode(rawValue: SQLITE_IOERR.rawValue | 16 << 8)
    /// `SQLITE_IOERR`, kind 17.
    public static let SQLITE_IOERR_DIR_CLOSE = ResultCode(rawValue: SQLITE_IOERR.rawValue | 17 << 8)
    /// `SQLITE_IOERR`, kind 18.
    public static let SQLITE_IOERR_SHMOPEN = ResultCode(rawValue: SQLITE_IOERR.rawValue | 18 << 8)
    /// `SQLITE_IOERR`, kind 19.
    public static let SQLITE_IOERR_SHMSIZE = ResultCode(rawValue: SQLITE_IOERR.rawValue | 19 << 8)
    /// `SQLITE_IOERR`, kind 20.
    public static let SQLITE_IOERR_SHMLOCK = ResultCode(rawValue: SQLITE_IOERR.rawValue | 20 << 8)
    /// `SQLITE_IOERR`, kind 21.
    public static let SQLITE_IOERR_SHMMAP = ResultCode(rawValue: SQLITE_IOERR.rawValue | 21 << 8)
    /// `SQLITE_IOERR`, kind 22.
    public static let SQLITE_IOERR_SEEK = ResultCode(rawValue: SQLITE_IOERR.rawValue | 22 << 8)
    /// `SQLITE_IOERR`, kind 23.
    public static let SQLITE_IOERR_DELETE_NOENT = ResultCode(
        rawValue: SQLITE_IOERR.rawValue | 23 << 8
    )
    /// `SQLITE_IOERR`, kind 24.
    public static let SQLITE_IOERR_MMAP = ResultCode(rawValue: SQLITE_IOERR.rawValue | 24 << 8)
    /// `SQLITE_IOERR`, kind 25.
    public static let SQLITE_IOERR_GETTEMPPATH = ResultCode(
        rawValue: SQLITE_IOERR.rawValue | 25 << 8
    )
    /// `SQLITE_IOERR`, kind 26.
    public static let SQLITE_IOERR_CONVPATH = ResultCode(rawValue: SQLITE_IOERR.rawValue | 26 << 8)
    /// `SQLITE_IOERR`, kind 27.
    public static let SQLITE_IOERR_VNODE = ResultCode(rawValue: SQLITE_IOERR.rawValue | 27 << 8)
    /// `SQLITE_IOERR`, kind 28.
    public static let SQLITE_IOERR_AUTH = ResultCode(rawValue: SQLITE_IOERR.rawValue | 28 << 8)
    /// `SQLITE_IOERR`, kind 29.
    public static let SQLITE_IOERR_BEGIN_ATOMIC = ResultCode(
        rawValue: SQLITE_IOERR.rawValue | 29 << 8
    )
    /// `SQLITE_IOERR`, kind 30.
    public static let SQLITE_IOERR_COMMIT_ATOMIC = ResultCode(
        rawValue: SQLITE_IOERR.rawValue | 30 << 8
    )
    /// `SQLITE_IOERR`, kind 31.
    public static let SQLITE_IOERR_ROLLBACK_ATOMIC = ResultCode(
        rawValue: SQLITE_IOERR.rawValue | 31 << 8
    )
    /// `SQLITE_IOERR`, kind 32.
    public static let SQLITE_IOERR_DATA = ResultCode(rawValue: SQLITE_IOERR.rawValue | 32 << 8)
    /// `SQLITE_IOERR`, kind 33.
    public static let SQLITE_IOERR_CORRUPTFS = ResultCode(rawValue: SQLITE_IOERR.rawValue | 33 << 8)
    /// `SQLITE_IOERR`, kind 34.
    public static let SQLITE_IOERR_IN_PAGE = ResultCode(rawValue: SQLITE_IOERR.rawValue | 34 << 8)
    /// `SQLITE_CORRUPT`, kind 1.
    public static let SQLITE_CORRUPT_VTAB = ResultCode(rawValue: SQLITE_CORRUPT.rawValue | 1 << 8)
    /// `SQLITE_CORRUPT`, kind 2.
    public static let SQLITE_CORRUPT_SEQUENCE = ResultCode(
        rawValue: SQLITE_CORRUPT.rawValue | 2 << 8
    )
    /// `SQLITE_CORRUPT`, kind 3.
    public static let SQLITE_CORRUPT_INDEX = ResultCode(rawValue: SQLITE_CORRUPT.rawValue | 3 << 8)
    /// `SQLITE_CANTOPEN`, kind 1.
    public static let SQLITE_CANTOPEN_NOTEMPDIR = ResultCode(
        rawValue: SQLITE_CANTOPEN.rawValue | 1 << 8
    )
    /// `SQLITE_CANTOPEN`, kind 2.
    public static let SQLITE_CANTOPEN_ISDIR = ResultCode(
        rawValue: SQLITE_CANTOPEN.rawValue | 2 << 8
    )
    /// `SQLITE_CANTOPEN`, kind 3.
    public static let SQLITE_CANTOPEN_FULLPATH = ResultCode(
        rawValue: SQLITE_CANTOPEN.rawValue | 3 << 8
    )
    /// `SQLITE_CANTOPEN`, kind 4.
    public static let SQLITE_CANTOPEN_CONVPATH = ResultCode(
        rawValue: SQLITE_CANTOPEN.rawValue | 4 << 8
    )
    /// `SQLITE_CANTOPEN`, kind 5.
    public static let SQLITE_CANTOPEN_DIRTYWAL = ResultCode(
        rawValue: SQLITE_CANTOPEN.rawValue | 5 << 8
    )
    /// `SQLITE_CANTOPEN`, kind 6.
    public static let SQLITE_CANTOPEN_SYMLINK = ResultCode(
        rawValue: SQLITE_CANTOPEN.rawValue | 6 << 8
    )
    /// `SQLITE_CONSTRAINT`, kind 1.
    public static let SQLITE_CONSTRAINT_CHECK = ResultCode(
        rawValue: SQLITE_CONSTRAINT.rawValue | 1 << 8
    )
    /// `SQLITE_CONSTRAINT`, kind 2.
    public static let SQLITE_CONSTRAINT_COMMITHOOK = ResultCode(
        rawValue: SQLITE_CONSTRAINT.rawValue | 2 << 8
    )
    /// `SQLITE_CONSTRAINT`, kind 3.
    public static let SQLITE_CONSTRAINT_FOREIGNKEY = ResultCode(
        rawValue: SQLITE_CONSTRAINT.rawValue | 3 << 8
    )
    /// `SQLITE_CONSTRAINT`, kind 4.
    public static let SQLITE_CONSTRAINT_FUNCTION = ResultCode(
        rawValue: SQLITE_CONSTRAINT.rawValue | 4 << 8
    )
    /// `SQLITE_CONSTRAINT`, kind 5.
    public static let SQLITE_CONSTRAINT_NOTNULL = ResultCode(
        rawValue: SQLITE_CONSTRAINT.rawValue | 5 << 8
    )
    /// `SQLITE_CONSTRAINT`, kind 6.
    public static let SQLITE_CONSTRAINT_PRIMARYKEY = ResultCode(
        rawValue: SQLITE_CONSTRAINT.rawValue | 6 << 8
    )
    /// `SQLITE_CONSTRAINT`, kind 7.
    public static let SQLITE_CONSTRAINT_TRIGGER = ResultCode(
        rawValue: SQLITE_CONSTRAINT.rawValue | 7 << 8
    )
    /// `SQLITE_CONSTRAINT`, kind 8.
    public static let SQLITE_CONSTRAINT_UNIQUE = ResultCode(
        rawValue: SQLITE_CONSTRAINT.rawValue | 8 << 8
    )
    /// `SQLITE_CONSTRAINT`, kind 9.
    public static let SQLITE_CONSTRAINT_VTAB = ResultCode(
        rawValue: SQLITE_CONSTRAINT.rawValue | 9 << 8
    )
    /// `SQLITE_CONSTRAINT`, kind 10.
    public static let SQLITE_CONSTRAINT_ROWID = ResultCode(
        rawValue: SQLITE_CONSTRAINT.rawValue | 10 << 8
    )
    /// `SQLITE_CONSTRAINT`, kind 11.
    public static let SQLITE_CONSTRAINT_PINNED = ResultCode(
        rawValue: SQLITE_CONSTRAINT.rawValue | 11 << 8
    )
    /// `SQLITE_CONSTRAINT`, kind 12.
    public static let SQLITE_CONSTRAINT_DATATYPE = ResultCode(
        rawValue: SQLITE_CONSTRAINT.rawValue | 12 << 8
    )
    /// `SQLITE_AUTH`, kind 1.
    public static let SQLITE_AUTH_USER = ResultCode(rawValue: SQLITE_AUTH.rawValue | 1 << 8)
    /// `SQLITE_NOTICE`, kind 1.
    public static let SQLITE_NOTICE_RECOVER_WAL = ResultCode(
        rawValue: SQLITE_NOTICE.rawValue | 1 << 8
    )
    /// `SQLITE_NOTICE`, kind 2.
    public static let SQLITE_NOTICE_RECOVER_ROLLBACK = ResultCode(
        rawValue: SQLITE_NOTICE.rawValue | 2 << 8
    )
    /// `SQLITE_NOTICE`, kind 3.
    public static let SQLITE_NOTICE_RBU = ResultCode(rawValue: SQLITE_NOTICE.rawValue | 3 << 8)
    /// `SQLITE_WARNING`, kind 1.
    public static let SQLITE_WARNING_AUTOINDEX = ResultCode(
        rawValue: SQLITE_WARNING.rawValue | 1 << 8
    )
}
