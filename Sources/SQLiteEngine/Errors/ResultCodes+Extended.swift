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
