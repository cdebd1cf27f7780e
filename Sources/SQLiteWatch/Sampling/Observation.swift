/// What one sample shows of one database.
struct Observation: Sendable {
    /// The monotonic clock, in nanoseconds.
    var now: UInt64
    /// The time that this sample stands for, in nanoseconds; 0 for one that no share counts.
    var weight: Double
    var files: ObservedFiles
    /// The locks that exclude all others and, where the list of all locks was read, all locks.
    var locks: [Int32: ProcessLocks] = [:]
    /// Whether the list of all locks was read.
    var hasList = true
    /// Whether ``locks`` contains the locks that exclude all others: without permission to read
    /// the files, only the list shows them.
    var hasWriteLocks = true
    /// The time that this sample represents among the samples of the list, in nanoseconds.
    var listWeight: Double
    /// The processes that have the database open, as far as their descriptors were scanned.
    var open: Set<Int32> = []
    /// Whether the checked processes wait.
    var waiting: [Int32: Bool] = [:]
    /// Whether locks are held that no visible process explains.
    var hasHiddenHolder = false

    /// Creates an observation of all locks.
    init(now: UInt64, weight: Double, files: ObservedFiles) {
        self.now = now
        self.weight = weight
        self.files = files
        listWeight = weight
    }
}

/// The files of a database, parsed.
struct ObservedFiles: Equatable, Sendable {
    var state = WatchedFile.State.missing
    var problem: String?
    var database = FileContent()
    var header: DatabaseHeader?
    var wal: FileContent?
    var walHeader: WALHeader?
    /// nil where a writer was at work on the header all the time: the state before is still good.
    var index: WALIndexHeader?
    var indexIdentity: FileIdentity?
    var journal: FileContent?
    var journalHeader: JournalHeader?

    init() {}

    /// Parses what a helper read.
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
            // The errors of a path that leads nowhere; every other one is of a path that may exist.
            return [2, 20].contains(file.error)
                ? (.missing, "there is no such file")
                : (.unreadable, SystemErrorText.text(file.error))
        }
        guard file.error == 0 else { return (.unreadable, SystemErrorText.text(file.error)) }
        if file.size == 0 { return (.empty, nil) }
        guard !hasHeader else { return (.present, nil) }
        return (
            .notADatabase,
            "its first bytes are not those of a SQLite database; it may be another file, "
                + "encrypted, or damaged"
        )
    }

    /// Whether connections use a write-ahead log.
    ///
    /// Where the database cannot be read, a wal-index that exists tells.
    var isWAL: Bool { header?.isWAL ?? (index != nil || indexIdentity != nil) }

    /// Bytes in a page.
    var pageSize: Int? { index?.pageSize ?? walHeader?.pageSize ?? header?.pageSize }

    /// The frames for which the log's file has room.
    var room: UInt64? {
        guard let wal, let pageSize else { return nil }
        return WALHeader.frames(in: wal.size, pageSize: pageSize)
    }

    /// Whether a journal would be rolled back if no process held the reserved lock.
    var hasValidJournal: Bool {
        state == .present && journalHeader != nil && (journal?.size ?? 0) > 0
    }
}
