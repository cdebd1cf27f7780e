/// The kind of database object that a status describes.
public enum DatabaseKind: String, Sendable, Codable, Equatable {
    /// A `DatabaseQueue`.
    case queue
    /// A `DatabasePool`.
    case pool
    /// A `DatabaseSnapshot`.
    case snapshot
}

/// The interrupts requested since the database was opened.
public struct InterruptStatus: Sendable, Codable, Equatable {
    /// The number of calls to `interrupt()`.
    public var requested: UInt64
    /// The number of statements that ended with `SQLITE_INTERRUPT`, including statements that were
    /// being prepared.
    public var delivered: UInt64
    /// The number of calls while no connection was running a statement.
    ///
    /// A statement that is being prepared does not count as running.
    public var withoutEffect: UInt64
    /// The time from a request until a statement ended with `SQLITE_INTERRUPT`, or `nil` if no
    /// statement was interrupted.
    public var latency: LatencySummary?

    /// Creates the counts.
    public init(requested: UInt64 = 0, delivered: UInt64 = 0, withoutEffect: UInt64 = 0) {
        self.requested = requested
        self.delivered = delivered
        self.withoutEffect = withoutEffect
    }
}

/// The reader connections of a pool.
public struct ReaderPoolStatus: Sendable, Codable, Equatable {
    /// The number of readers that are serving an access.
    public var inUse: Int
    /// The number of open readers.
    public var open: Int
    /// The value of `Configuration.maximumReaderCount`.
    public var maximum: Int
    /// The largest number of readers in use at the same time.
    public var peak: Int
    /// The total time that readers were held, including current holds, in nanoseconds.
    ///
    /// The growth of this time divided by `maximum` times the elapsed time is the *utilization*.
    public var busyNanoseconds: UInt64
    /// The total time during which all readers were in use and at least one access waited, in
    /// nanoseconds.
    ///
    /// The growth of this time divided by the elapsed time is the *saturation*. The value is `nil`
    /// if the library does not report which accesses wait.
    public var saturatedNanoseconds: UInt64?

    /// Creates a status.
    ///
    /// Times are in nanoseconds since the database was opened.
    public init(
        inUse: Int,
        open: Int,
        maximum: Int,
        peak: Int = 0,
        busyNanoseconds: UInt64 = 0,
        saturatedNanoseconds: UInt64? = 0
    ) {
        self.inUse = inUse
        self.open = open
        self.maximum = maximum
        self.peak = peak
        self.busyNanoseconds = busyNanoseconds
        self.saturatedNanoseconds = saturatedNanoseconds
    }
}

/// The status of a database at one moment.
///
/// Taking a status does not block accesses.
public struct DatabaseStatus: Sendable, Codable, Equatable {
    /// The value of `Configuration.label`, or the name of the type.
    public var label: String
    /// The kind of database object.
    public var kind: DatabaseKind
    /// The path of the database file, or `nil` for a database in memory.
    public var path: String?
    /// The current journal mode, such as `wal` or `delete`, or `nil` if unknown.
    public var journalMode: String?
    /// The time of the status on the monotonic clock, in nanoseconds from an arbitrary origin.
    public var takenAtNanoseconds: UInt64
    /// All open connections: the writer, followed by readers by number, followed by snapshots.
    public var connections: [ConnectionStatus]
    /// The readers of a pool, or `nil` for a queue.
    public var readers: ReaderPoolStatus?
    /// The accesses waiting for a reader (in a queue, waiting to read), oldest first.
    public var waitingReaders: [WaiterStatus]
    /// The accesses waiting for the writer (in a queue, waiting to write), oldest first.
    public var waitingWriters: [WaiterStatus]
    /// The largest number of accesses in ``waitingReaders`` at the same time, or `nil` if the
    /// library does not count waiting accesses.
    public var waitingReadersPeak: Int?
    /// The largest number of accesses in ``waitingWriters`` at the same time, or `nil` if the
    /// library does not count waiting accesses.
    public var waitingWritersPeak: Int?
    /// The times for which accesses waited for a connection.
    public var acquire: LatencySummary?
    /// The times for which accesses held their connections.
    public var hold: LatencySummary?
    /// The open snapshots of this database, oldest first.
    public var snapshots: [SnapshotStatus]
    /// The number of snapshots created since the database was opened.
    public var snapshotsMade: UInt64
    /// The interrupts since the database was opened, or `nil` if the library does not count
    /// interrupts.
    public var interrupts: InterruptStatus?
    /// The number of times that a connection encountered another connection's lock.
    public var busyCount: UInt64
    /// The write-ahead log, or `nil` if the database is not in WAL mode.
    public var wal: WALStatus?
    /// Whether the database has been closed.
    public var isClosed: Bool
    /// The share of the accesses in ``acquire`` that acquired a connection without waiting, from 0
    /// to 1, or `nil` if there were no accesses.
    public var acquiredAtOnce: Double?
    /// The share of the accesses in ``writerAcquire`` that acquired the writer without waiting.
    public var writerAcquiredAtOnce: Double?
    /// The times for which accesses waited for the writer, or `nil` if ``acquire`` covers them.
    public var writerAcquire: LatencySummary?
    /// The times for which accesses held the writer, or `nil` if ``hold`` covers them.
    public var writerHold: LatencySummary?
    /// The durations of statements from their first to their last step, in the accesses that
    /// ``splits`` covers.
    public var statement: LatencySummary?
    /// The durations of the commits of write transactions.
    public var commit: LatencySummary?
    /// The times that accesses spent in each phase.
    public var splits: [AccessSplit]?
    /// The counts and durations of connection openings, excluding connections of snapshots.
    public var openings: OpeningStatus?
    /// The time spent waiting for other connections' locks, in nanoseconds.
    public var busyWaitNanoseconds: UInt64?
    /// The activity and cost of value observations, or `nil` if there were none.
    public var observations: ObservationStatus?
    /// The number of conflicts in ``busyCount`` that waiting could not resolve, or `nil` if
    /// unknown.
    ///
    /// In such a conflict, a transaction tried to write after a read, while a different connection
    /// was writing or had written since the read.
    public var busyUpgradeCount: UInt64?

    /// Creates a status.
    ///
    /// By default, all values except the label and the kind are empty.
    public init(
        label: String,
        kind: DatabaseKind,
        path: String? = nil,
        journalMode: String? = nil,
        takenAtNanoseconds: UInt64 = 0,
        connections: [ConnectionStatus] = [],
        readers: ReaderPoolStatus? = nil,
        waitingReaders: [WaiterStatus] = [],
        waitingWriters: [WaiterStatus] = [],
        acquire: LatencySummary? = nil,
        hold: LatencySummary? = nil,
        snapshots: [SnapshotStatus] = [],
        snapshotsMade: UInt64 = 0,
        interrupts: InterruptStatus? = InterruptStatus(),
        busyCount: UInt64 = 0,
        wal: WALStatus? = nil,
        isClosed: Bool = false
    ) {
        self.label = label
        self.kind = kind
        self.path = path
        self.journalMode = journalMode
        self.takenAtNanoseconds = takenAtNanoseconds
        self.connections = connections
        self.readers = readers
        self.waitingReaders = waitingReaders
        self.waitingWriters = waitingWriters
        self.acquire = acquire
        self.hold = hold
        self.snapshots = snapshots
        self.snapshotsMade = snapshotsMade
        self.interrupts = interrupts
        self.busyCount = busyCount
        self.wal = wal
        self.isClosed = isClosed
    }

    /// The age of the oldest waiting access, in nanoseconds, or `nil` if no access waits.
    public var oldestWaiterNanoseconds: UInt64? {
        (waitingReaders + waitingWriters).map(\.waitedNanoseconds).max()
    }
}

/// The write-ahead log of a database in WAL mode.
public struct WALStatus: Sendable, Codable, Equatable {
    /// The size of the `-wal` file, in bytes.
    public var bytes: UInt64
    /// The number of valid frames in the log (`mxFrame`), or `nil` if the wal-index could not be
    /// read.
    public var frames: UInt64?
    /// The number of valid frames that have been copied to the database file (`nBackfill`), or
    /// `nil` if unknown.
    public var checkpointedFrames: UInt64?
    /// The pin that prevents the log from shrinking, if any.
    public var pin: WALPin?
    /// The size of a page, in bytes, or `nil` if unknown.
    ///
    /// A frame is 24 bytes larger than a page.
    public var pageSize: Int?
    /// The read marks, in frames, indexed by number, or `nil` if unknown.
    ///
    /// An unused mark is `nil`. A reader with mark 0 ignores the log. A mark keeps its value after
    /// its reader ends.
    public var readMarks: [UInt64?]?
    /// The number of checkpoints since the database was opened, keyed by mode, or `nil` if unknown.
    ///
    /// The modes `passive`, `full`, `restart`, and `truncate` count the checkpoints that the
    /// program requested with `checkpoint(_:on:)`. The mode `unknown` counts all other checkpoints
    /// that copied frames: automatic checkpoints after commits, and checkpoints that pragmas or
    /// other processes requested.
    public var checkpoints: [String: UInt64]?

    /// Creates a status from sizes in bytes and frames.
    public init(
        bytes: UInt64,
        frames: UInt64? = nil,
        checkpointedFrames: UInt64? = nil,
        pin: WALPin? = nil
    ) {
        self.bytes = bytes
        self.frames = frames
        self.checkpointedFrames = checkpointedFrames
        self.pin = pin
    }
}

/// A condition that prevents a write-ahead log from shrinking.
public struct WALPin: Sendable, Codable, Equatable {
    /// The reason that a log does not shrink.
    public enum Cause: String, Sendable, Codable, Equatable {
        /// A reader of an old state prevents checkpoints from copying more frames.
        case oldReader
        /// Readers overlap continuously, so the log is never reset.
        case overlappingReaders
        /// One large transaction fills the log.
        case largeTransaction
        /// No checkpoints run, or they fail.
        case noCheckpoint
        /// A connection of a different process pins the log.
        case otherProcess
    }

    /// The responsible access: the holder of a connection, or the creator of a snapshot.
    public var by: AccessOrigin
    /// The cause of the condition.
    public var cause: Cause
    /// The time for which the condition has lasted, in nanoseconds.
    public var ageNanoseconds: UInt64

    /// Creates a pin.
    public init(by origin: AccessOrigin, cause: Cause, ageNanoseconds: UInt64) {
        self.by = origin
        self.cause = cause
        self.ageNanoseconds = ageNanoseconds
    }
}

/// The time that accesses to a database spent in each phase.
///
/// For each role, one split covers all accesses that waited, and a second split covers a sample of
/// the accesses that did not wait. Do not add the two splits, because the sum would overstate the
/// waits. To calculate a phase's total time in nanoseconds, multiply the mean of the phase's
/// summary by the summary's count.
public struct AccessSplit: Sendable, Codable, Equatable {
    /// The role of the connections.
    public var role: ConnectionRole
    /// Whether the accesses waited for a connection or for its opening.
    public var isContended: Bool
    /// The sampling interval: one in `interval` accesses is measured.
    ///
    /// The value 1 means all accesses.
    public var interval: Int
    /// The number of measured accesses.
    public var count: UInt64
    /// The time spent waiting for a connection.
    public var waiting: LatencySummary?
    /// The time spent waiting for a connection to be opened.
    public var opening: LatencySummary?
    /// The time spent starting the transaction, including a write's wait for the file lock.
    public var acquiringState: LatencySummary?
    /// The time spent inside SQLite, preparing and stepping statements.
    public var insideSQLite: LatencySummary?
    /// The time spent in the caller's closure while holding the connection.
    public var closure: LatencySummary?
    /// The time spent ending the transaction.
    public var committing: LatencySummary?
    /// The time spent notifying transaction observers.
    public var notifying: LatencySummary?

    /// Creates a split without times.
    public init(role: ConnectionRole, isContended: Bool, interval: Int = 1, count: UInt64 = 0) {
        self.role = role
        self.isContended = isContended
        self.interval = interval
        self.count = count
    }
}

/// The peak numbers of waiting accesses and of readers in use over several statuses.
///
/// Reports, dashboards, and results show the same numbers because they all use this type.
public struct AccessPeaks: Sendable, Equatable {
    /// The largest number of accesses that waited to read at the same time.
    public private(set) var waitingReaders = 0
    /// The largest number of accesses that waited to write at the same time.
    public private(set) var waitingWriters = 0
    /// The largest number of readers in use at the same time, or `nil` for a queue.
    public private(set) var readersInUse: Int?
    /// Whether the numbers are lower bounds because the library does not count waiting accesses.
    ///
    /// If `true`, each number is the largest in any single status. More accesses may have waited
    /// between two statuses.
    public private(set) var areSampled = false

    /// Creates peaks of zero.
    public init() {}

    /// Updates the peaks with a status.
    public mutating func add(_ status: DatabaseStatus) {
        if status.waitingReadersPeak == nil || status.waitingWritersPeak == nil {
            areSampled = true
        }
        waitingReaders = max(
            waitingReaders,
            status.waitingReaders.count,
            status.waitingReadersPeak ?? 0
        )
        waitingWriters = max(
            waitingWriters,
            status.waitingWriters.count,
            status.waitingWritersPeak ?? 0
        )
        if let readers = status.readers {
            readersInUse = max(readersInUse ?? 0, readers.peak)
        }
    }
}

/// The activity and cost of a database's value observations since it was opened.
public struct ObservationStatus: Sendable, Codable, Equatable {
    /// The number of active observations.
    public var active: Int
    /// The number of values that were fetched on readers.
    public var fetchesOnReaders: UInt64
    /// The number of values that were fetched on the writing connection.
    public var fetchesOnWriter: UInt64
    /// The number of changes that did not require a separate fetch.
    ///
    /// A change is coalesced if it arrives while a fetch is pending, because that fetch includes
    /// the change.
    public var coalesced: UInt64
    /// The number of values that were not delivered because they equaled the previous value.
    public var duplicates: UInt64

    /// Creates a status.
    public init(
        active: Int = 0,
        fetchesOnReaders: UInt64 = 0,
        fetchesOnWriter: UInt64 = 0,
        coalesced: UInt64 = 0,
        duplicates: UInt64 = 0
    ) {
        self.active = active
        self.fetchesOnReaders = fetchesOnReaders
        self.fetchesOnWriter = fetchesOnWriter
        self.coalesced = coalesced
        self.duplicates = duplicates
    }
}

/// An open snapshot of the database.
public struct SnapshotStatus: Sendable, Codable, Equatable {
    /// The label of the snapshot's connection: `L.snapshot.N`.
    public var label: String
    /// The access that created the snapshot, or `nil` if unknown.
    public var origin: AccessOrigin?
    /// The age of the snapshot's database state, in nanoseconds.
    public var ageNanoseconds: UInt64
    /// The last log frame that belongs to the snapshot's state, or `nil` if unknown.
    public var frame: UInt64?
    /// The number of frames after ``frame``, or `nil` if unknown.
    ///
    /// Checkpoints do not copy these frames while the snapshot is open.
    public var pinnedFrames: UInt64?

    /// Creates a status.
    public init(label: String, origin: AccessOrigin?, ageNanoseconds: UInt64) {
        self.label = label
        self.origin = origin
        self.ageNanoseconds = ageNanoseconds
    }
}

/// The counts and durations of a database's connection openings.
public struct OpeningStatus: Sendable, Codable, Equatable {
    /// The number of opened connections, including connections that have since been closed.
    public var opened: UInt64
    /// The number of connections that could not be opened.
    public var failed: UInt64
    /// The durations of the successful openings, or `nil` if there were none.
    public var time: LatencySummary?

    /// Creates a status.
    public init(opened: UInt64 = 0, failed: UInt64 = 0, time: LatencySummary? = nil) {
        self.opened = opened
        self.failed = failed
        self.time = time
    }
}

/// An access that waits for a connection.
public struct WaiterStatus: Sendable, Codable, Equatable {
    /// The origin of the access.
    public var origin: AccessOrigin
    /// The time for which the access has waited, in nanoseconds.
    public var waitedNanoseconds: UInt64
    /// Whether the waiter is a suspended task (`true`) or a blocked thread (`false`).
    public var isAsync: Bool

    /// Creates a status.
    public init(origin: AccessOrigin, waitedNanoseconds: UInt64, isAsync: Bool = false) {
        self.origin = origin
        self.waitedNanoseconds = waitedNanoseconds
        self.isAsync = isAsync
    }
}
