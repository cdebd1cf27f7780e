/// The extended result codes. The low byte is the primary code, and the next byte adds details.
extension ResultCodes {
    /// Extended code 1 of `SQLITE_OK`.
    public static var SQLITE_OK_LOAD_PERMANENTLY: ResultCode { SQLITE_OK.extended(1) }
    /// Extended code 2 of `SQLITE_OK`.
    public static var SQLITE_OK_SYMLINK: ResultCode { SQLITE_OK.extended(2) }
    /// Extended code 1 of `SQLITE_ERROR`.
    public static var SQLITE_ERROR_MISSING_COLLSEQ: ResultCode { SQLITE_ERROR.extended(1) }
    /// Extended code 2 of `SQLITE_ERROR`.
    public static var SQLITE_ERROR_RETRY: ResultCode { SQLITE_ERROR.extended(2) }
    /// Extended code 3 of `SQLITE_ERROR`.
    public static var SQLITE_ERROR_SNAPSHOT: ResultCode { SQLITE_ERROR.extended(3) }
    /// Extended code 2 of `SQLITE_ABORT`.
    public static var SQLITE_ABORT_ROLLBACK: ResultCode { SQLITE_ABORT.extended(2) }
    /// Extended code 1 of `SQLITE_BUSY`.
    public static var SQLITE_BUSY_RECOVERY: ResultCode { SQLITE_BUSY.extended(1) }
    /// Extended code 2 of `SQLITE_BUSY`.
    public static var SQLITE_BUSY_SNAPSHOT: ResultCode { SQLITE_BUSY.extended(2) }
    /// Extended code 3 of `SQLITE_BUSY`.
    public static var SQLITE_BUSY_TIMEOUT: ResultCode { SQLITE_BUSY.extended(3) }
    /// Extended code 1 of `SQLITE_LOCKED`.
    public static var SQLITE_LOCKED_SHAREDCACHE: ResultCode { SQLITE_LOCKED.extended(1) }
    /// Extended code 2 of `SQLITE_LOCKED`.
    public static var SQLITE_LOCKED_VTAB: ResultCode { SQLITE_LOCKED.extended(2) }
    /// Extended code 1 of `SQLITE_READONLY`.
    public static var SQLITE_READONLY_RECOVERY: ResultCode { SQLITE_READONLY.extended(1) }
    /// Extended code 2 of `SQLITE_READONLY`.
    public static var SQLITE_READONLY_CANTLOCK: ResultCode { SQLITE_READONLY.extended(2) }
    /// Extended code 3 of `SQLITE_READONLY`.
    public static var SQLITE_READONLY_ROLLBACK: ResultCode { SQLITE_READONLY.extended(3) }
    /// Extended code 4 of `SQLITE_READONLY`.
    public static var SQLITE_READONLY_DBMOVED: ResultCode { SQLITE_READONLY.extended(4) }
    /// Extended code 5 of `SQLITE_READONLY`.
    public static var SQLITE_READONLY_CANTINIT: ResultCode { SQLITE_READONLY.extended(5) }
    /// Extended code 6 of `SQLITE_READONLY`.
    public static var SQLITE_READONLY_DIRECTORY: ResultCode { SQLITE_READONLY.extended(6) }
    /// Extended code 1 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_READ: ResultCode { SQLITE_IOERR.extended(1) }
    /// Extended code 2 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_SHORT_READ: ResultCode { SQLITE_IOERR.extended(2) }
    /// Extended code 3 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_WRITE: ResultCode { SQLITE_IOERR.extended(3) }
    /// Extended code 4 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_FSYNC: ResultCode { SQLITE_IOERR.extended(4) }
    /// Extended code 5 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_DIR_FSYNC: ResultCode { SQLITE_IOERR.extended(5) }
    /// Extended code 6 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_TRUNCATE: ResultCode { SQLITE_IOERR.extended(6) }
    /// Extended code 7 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_FSTAT: ResultCode { SQLITE_IOERR.extended(7) }
    /// Extended code 8 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_UNLOCK: ResultCode { SQLITE_IOERR.extended(8) }
    /// Extended code 9 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_RDLOCK: ResultCode { SQLITE_IOERR.extended(9) }
    /// Extended code 10 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_DELETE: ResultCode { SQLITE_IOERR.extended(10) }
    /// Extended code 11 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_BLOCKED: ResultCode { SQLITE_IOERR.extended(11) }
    /// Extended code 12 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_NOMEM: ResultCode { SQLITE_IOERR.extended(12) }
    /// Extended code 13 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_ACCESS: ResultCode { SQLITE_IOERR.extended(13) }
    /// Extended code 14 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_CHECKRESERVEDLOCK: ResultCode { SQLITE_IOERR.extended(14) }
    /// Extended code 15 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_LOCK: ResultCode { SQLITE_IOERR.extended(15) }
    /// Extended code 16 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_CLOSE: ResultCode { SQLITE_IOERR.extended(16) }
    /// Extended code 17 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_DIR_CLOSE: ResultCode { SQLITE_IOERR.extended(17) }
    /// Extended code 18 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_SHMOPEN: ResultCode { SQLITE_IOERR.extended(18) }
    /// Extended code 19 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_SHMSIZE: ResultCode { SQLITE_IOERR.extended(19) }
    /// Extended code 20 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_SHMLOCK: ResultCode { SQLITE_IOERR.extended(20) }
    /// Extended code 21 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_SHMMAP: ResultCode { SQLITE_IOERR.extended(21) }
    /// Extended code 22 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_SEEK: ResultCode { SQLITE_IOERR.extended(22) }
    /// Extended code 23 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_DELETE_NOENT: ResultCode { SQLITE_IOERR.extended(23) }
    /// Extended code 24 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_MMAP: ResultCode { SQLITE_IOERR.extended(24) }
    /// Extended code 25 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_GETTEMPPATH: ResultCode { SQLITE_IOERR.extended(25) }
    /// Extended code 26 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_CONVPATH: ResultCode { SQLITE_IOERR.extended(26) }
    /// Extended code 27 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_VNODE: ResultCode { SQLITE_IOERR.extended(27) }
    /// Extended code 28 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_AUTH: ResultCode { SQLITE_IOERR.extended(28) }
    /// Extended code 29 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_BEGIN_ATOMIC: ResultCode { SQLITE_IOERR.extended(29) }
    /// Extended code 30 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_COMMIT_ATOMIC: ResultCode { SQLITE_IOERR.extended(30) }
    /// Extended code 31 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_ROLLBACK_ATOMIC: ResultCode { SQLITE_IOERR.extended(31) }
    /// Extended code 32 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_DATA: ResultCode { SQLITE_IOERR.extended(32) }
    /// Extended code 33 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_CORRUPTFS: ResultCode { SQLITE_IOERR.extended(33) }
    /// Extended code 34 of `SQLITE_IOERR`.
    public static var SQLITE_IOERR_IN_PAGE: ResultCode { SQLITE_IOERR.extended(34) }
    /// Extended code 1 of `SQLITE_CORRUPT`.
    public static var SQLITE_CORRUPT_VTAB: ResultCode { SQLITE_CORRUPT.extended(1) }
    /// Extended code 2 of `SQLITE_CORRUPT`.
    public static var SQLITE_CORRUPT_SEQUENCE: ResultCode { SQLITE_CORRUPT.extended(2) }
    /// Extended code 3 of `SQLITE_CORRUPT`.
    public static var SQLITE_CORRUPT_INDEX: ResultCode { SQLITE_CORRUPT.extended(3) }
    /// Extended code 1 of `SQLITE_CANTOPEN`.
    public static var SQLITE_CANTOPEN_NOTEMPDIR: ResultCode { SQLITE_CANTOPEN.extended(1) }
    /// Extended code 2 of `SQLITE_CANTOPEN`.
    public static var SQLITE_CANTOPEN_ISDIR: ResultCode { SQLITE_CANTOPEN.extended(2) }
    /// Extended code 3 of `SQLITE_CANTOPEN`.
    public static var SQLITE_CANTOPEN_FULLPATH: ResultCode { SQLITE_CANTOPEN.extended(3) }
    /// Extended code 4 of `SQLITE_CANTOPEN`.
    public static var SQLITE_CANTOPEN_CONVPATH: ResultCode { SQLITE_CANTOPEN.extended(4) }
    /// Extended code 5 of `SQLITE_CANTOPEN`.
    public static var SQLITE_CANTOPEN_DIRTYWAL: ResultCode { SQLITE_CANTOPEN.extended(5) }
    /// Extended code 6 of `SQLITE_CANTOPEN`.
    public static var SQLITE_CANTOPEN_SYMLINK: ResultCode { SQLITE_CANTOPEN.extended(6) }
    /// Extended code 1 of `SQLITE_CONSTRAINT`.
    public static var SQLITE_CONSTRAINT_CHECK: ResultCode { SQLITE_CONSTRAINT.extended(1) }
    /// Extended code 2 of `SQLITE_CONSTRAINT`.
    public static var SQLITE_CONSTRAINT_COMMITHOOK: ResultCode { SQLITE_CONSTRAINT.extended(2) }
    /// Extended code 3 of `SQLITE_CONSTRAINT`.
    public static var SQLITE_CONSTRAINT_FOREIGNKEY: ResultCode { SQLITE_CONSTRAINT.extended(3) }
    /// Extended code 4 of `SQLITE_CONSTRAINT`.
    public static var SQLITE_CONSTRAINT_FUNCTION: ResultCode { SQLITE_CONSTRAINT.extended(4) }
    /// Extended code 5 of `SQLITE_CONSTRAINT`.
    public static var SQLITE_CONSTRAINT_NOTNULL: ResultCode { SQLITE_CONSTRAINT.extended(5) }
    /// Extended code 6 of `SQLITE_CONSTRAINT`.
    public static var SQLITE_CONSTRAINT_PRIMARYKEY: ResultCode { SQLITE_CONSTRAINT.extended(6) }
    /// Extended code 7 of `SQLITE_CONSTRAINT`.
    public static var SQLITE_CONSTRAINT_TRIGGER: ResultCode { SQLITE_CONSTRAINT.extended(7) }
    /// Extended code 8 of `SQLITE_CONSTRAINT`.
    public static var SQLITE_CONSTRAINT_UNIQUE: ResultCode { SQLITE_CONSTRAINT.extended(8) }
    /// Extended code 9 of `SQLITE_CONSTRAINT`.
    public static var SQLITE_CONSTRAINT_VTAB: ResultCode { SQLITE_CONSTRAINT.extended(9) }
    /// Extended code 10 of `SQLITE_CONSTRAINT`.
    public static var SQLITE_CONSTRAINT_ROWID: ResultCode { SQLITE_CONSTRAINT.extended(10) }
    /// Extended code 11 of `SQLITE_CONSTRAINT`.
    public static var SQLITE_CONSTRAINT_PINNED: ResultCode { SQLITE_CONSTRAINT.extended(11) }
    /// Extended code 12 of `SQLITE_CONSTRAINT`.
    public static var SQLITE_CONSTRAINT_DATATYPE: ResultCode { SQLITE_CONSTRAINT.extended(12) }
    /// Extended code 1 of `SQLITE_AUTH`.
    public static var SQLITE_AUTH_USER: ResultCode { SQLITE_AUTH.extended(1) }
    /// Extended code 1 of `SQLITE_NOTICE`.
    public static var SQLITE_NOTICE_RECOVER_WAL: ResultCode { SQLITE_NOTICE.extended(1) }
    /// Extended code 2 of `SQLITE_NOTICE`.
    public static var SQLITE_NOTICE_RECOVER_ROLLBACK: ResultCode { SQLITE_NOTICE.extended(2) }
    /// Extended code 3 of `SQLITE_NOTICE`.
    public static var SQLITE_NOTICE_RBU: ResultCode { SQLITE_NOTICE.extended(3) }
    /// Extended code 1 of `SQLITE_WARNING`.
    public static var SQLITE_WARNING_AUTOINDEX: ResultCode { SQLITE_WARNING.extended(1) }
}
