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
