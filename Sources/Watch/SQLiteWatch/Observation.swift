import Findings

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The state of one database in one sample.
struct Observation: Sendable {
    /// The time on the monotonic clock, in nanoseconds.
    var now: UInt64
    /// The time that the sample represents, in nanoseconds, or 0 to exclude it from the shares.
    var weight: Double
    var files: ObservedFiles
    /// The exclusive locks, or all locks if `/proc/locks` was read.
    var locks: [Int32: ProcessLocks] = [:]
    /// Whether `/proc/locks` was read.
    var hasList = true
    /// Whether ``locks`` contains the exclusive locks.
    ///
    /// Without permission to read the files, only `/proc/locks` provides these locks.
    var hasWriteLocks = true
    /// The time that this sample represents among the samples that read `/proc/locks`, in
    /// nanoseconds.
    var listWeight: Double
    /// The processes that have the database open, according to the scan of descriptors.
    var openProcesses: Set<Int32> = []
    /// Whether each checked process is waiting.
    var waiting: [Int32: Bool] = [:]
    /// Whether each checked process waits for the disk.
    var syncing: [Int32: Bool] = [:]
    /// What the descriptors of each process show.
    var uses: [Int32: DescriptorUse] = [:]
    /// For each process with an inherited connection, a process that shares it.
    var sharedConnections: [Int32: Int32] = [:]
    /// The lock file of SQLite's `unix-dotfile` VFS, if it exists.
    var lockFile: String?
    /// The number of times that the threads of each holder of an exclusive lock have run.
    ///
    /// A process that has not run between two samples has not released its locks.
    var runs: [Int32: ProcessRuns] = [:]
    /// Whether an invisible process holds a lock.
    var hasHiddenHolder = false

    init(now: UInt64, weight: Double, files: ObservedFiles) {
        self.now = now
        self.weight = weight
        self.files = files
        listWeight = weight
    }
}

struct ObservedFiles: Equatable, Sendable {
    var state = WatchedFile.State.missing
    var problem: String?
    var database = FileContent()
    var header: DatabaseHeader?
    var wal: FileContent?
    var walHeader: WALHeader?
    /// The wal-index header, or `nil` if it could not be read or a writer was changing it.
    ///
    /// In the last case, the previous header remains in use.
    var index: WALIndexHeader?
    var indexIdentity: FileIdentity?
    var journal: FileContent?
    var journalHeader: JournalHeader?

    init() {}

    init(_ sample: FileSample) {
        database = sample.database
        header = DatabaseHeader(sample.database.bytes)
        (state, problem) = Self.state(sample.database, hasHeader: header != nil)
        if sample.wal.exists {
            wal = sample.wal
            walHeader = WALHeader(sample.wal.bytes)
        }
        indexIdentity = sample.index.identity
        index = WALIndexHeader(sample.index.bytes)
        if sample.journal.exists {
            journal = sample.journal
            journalHeader = JournalHeader(sample.journal.bytes)
        }
    }

    private static func state(
        _ file: FileContent,
        hasHeader: Bool
    ) -> (WatchedFile.State, String?) {
        if file.isSpecial { return (.notADatabase, "it is not a regular file") }
        guard file.exists else {
            // ENOENT and ENOTDIR mean that no file exists. With other errors, a file may exist.
            return [2, 20].contains(file.error)
                ? (.missing, "the file does not exist")
                : (.unreadable, SystemErrorText.text(file.error))
        }
        guard file.error == 0 else { return (.unreadable, SystemErrorText.text(file.error)) }
        if file.size == 0 { return (.empty, nil) }
        guard !hasHeader else { return (.present, nil) }
        return (
            .notADatabase,
            "it does not start with an SQLite header; it may be another type of file, encrypted, "
                + "or damaged"
        )
    }

    /// Whether connections use a write-ahead log.
    ///
    /// For an unreadable database, this is `true` if a wal-index exists.
    var isWAL: Bool { header?.isWAL ?? (index != nil || indexIdentity != nil) }

    /// The page size, in bytes.
    var pageSize: Int? { index?.pageSize ?? walHeader?.pageSize ?? header?.pageSize }

    /// The number of frames that fit in the log file.
    var room: UInt64? {
        guard let wal, let pageSize else { return nil }
        return WALHeader.frames(in: wal.size, pageSize: pageSize)
    }

    /// Whether there is a journal that the next reader would roll back, provided that no process
    /// holds the reserved lock.
    var hasValidJournal: Bool {
        state == .present && journalHeader != nil && (journal?.size ?? 0) > 0
    }
}

/// How often the threads of a process have run.
struct ProcessRuns: Equatable, Sendable {
    /// The number of threads, and of the times that they stopped running.
    var total: UInt64
    /// The number of times that they stopped in order to wait.
    var sleeps: UInt64
}

/// What the descriptors of a process show about its use of a database.
struct DescriptorUse: Equatable, Sendable {
    /// The files that are not those of the path.
    var strayFiles: [StrayFile] = []
    /// The descriptors of the database file.
    var descriptors: [Int32] = []
    /// The number of descriptors of the database file that SQLite did not open.
    var otherDescriptors = 0

    struct StrayFile: Equatable, Sendable {
        var part: WatchedStrayFile.Part
        var path: String
        var isDeleted: Bool
        /// The time of the deletion, in milliseconds since 1970, or `nil` if it is unknown.
        var deleted: Int64?
    }
}

private enum SystemErrorText {
    static func text(_ code: Int32) -> String {
        switch code {
        case EACCES, EPERM:
            "permission denied; run as its owner or as root"
        case ETIMEDOUT:
            "its file system does not respond"
        case ECHILD:
            "the helper process that reads it ended"
        default: String(cString: strerror(code))
        }
    }
}
