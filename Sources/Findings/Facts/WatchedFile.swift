/// A database file.
public struct WatchedFile: Sendable, Codable, Equatable {
    /// The state of the file.
    public enum State: String, Sendable, Codable, Equatable {
        /// The database can be read.
        case present
        /// The file is empty, because no transaction has written to it.
        case empty
        /// No file exists at this path.
        case missing
        /// The file is not an SQLite database or is encrypted.
        case notADatabase
        /// This user cannot read the file, or the file system does not respond.
        case unreadable
    }

    /// The mechanism that makes transactions atomic.
    public enum JournalMode: String, Sendable, Codable, Equatable {
        /// A write-ahead log.
        case wal
        /// A rollback journal: `delete`, `truncate`, `persist`, `memory`, or `off`.
        ///
        /// The file does not record which of these modes is in use.
        case rollback
    }

    /// The path of the file.
    public var path: String
    /// The state of the file.
    public var state: State
    /// The reason why the file cannot be read, with a remedy.
    public var problem: String?
    /// The size of the file, in bytes.
    public var bytes: UInt64?
    /// The number of pages in the database, including pages that are only in the log.
    public var pages: UInt64?
    /// The number of free pages, as of the last checkpoint.
    public var freePages: UInt64?
    /// The page size, in bytes.
    public var pageSize: Int?
    /// The journal mode.
    public var journalMode: JournalMode?
    /// The auto-vacuum mode.
    public var autoVacuum: AutoVacuum?
    /// The text encoding.
    public var encoding: TextEncodingName?
    /// The value of `PRAGMA application_id`.
    public var applicationID: UInt32?
    /// The value of `PRAGMA user_version`.
    public var userVersion: Int32?
    /// The file system that contains the file.
    public var fileSystem: FileSystemStatus?
    /// The lock file of SQLite's `unix-dotfile` VFS next to the database, or `nil` if there is
    /// none.
    public var lockFile: String?
}

extension WatchedFile {
    /// Creates a description.
    public init(path: String, state: State) {
        self.path = path
        self.state = state
    }
}

/// The auto-vacuum mode, which determines what happens to free pages.
public enum AutoVacuum: String, Sendable, Codable, Equatable {
    /// Free pages stay in the file for reuse.
    case none
    /// Each commit returns free pages to the file system.
    case full
    /// `PRAGMA incremental_vacuum` returns free pages to the file system.
    case incremental
}

/// The text encoding of a database.
public enum TextEncodingName: String, Sendable, Codable, Equatable {
    /// UTF-8.
    case utf8 = "UTF-8"
    /// UTF-16, little-endian.
    case utf16LittleEndian = "UTF-16le"
    /// UTF-16, big-endian.
    case utf16BigEndian = "UTF-16be"

    /// Creates an encoding from the header's field.
    package init?(field: UInt32) {
        switch field {
        case 1: self = .utf8
        case 2: self = .utf16LittleEndian
        case 3: self = .utf16BigEndian
        default: return nil
        }
    }
}

/// The file system that contains a database.
public struct FileSystemStatus: Sendable, Codable, Equatable {
    /// The type, such as `ext4`, `nfs4`, or `fuse.sshfs`.
    public var type: String
    /// The limitations of the file system, or `nil` for a local file system.
    public var warning: String?

    /// Creates the status of a file system from its type.
    public init(type: String) {
        self.type = type
        let base = type.split(separator: ".").first.map(String.init) ?? type
        switch base {
        case "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "ceph", "glusterfs", "afs", "lustre",
            "gpfs", "ocfs2", "gfs2", "virtiofs":
            warning =
                "\(type) is shared between machines: processes on other machines and their locks "
                + "are not visible here, and WAL mode does not work across machines "
                + "(https://sqlite.org/wal.html)"
        case "fuse", "fuseblk", "fusectl":
            warning =
                "\(type) is a FUSE file system: its locks may be missing in /proc/locks, and it "
                + "may not provide the shared memory that WAL mode needs"
        default: warning = nil
        }
    }
}
