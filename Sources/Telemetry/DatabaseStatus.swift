/// What kind of access object a status describes.
public enum DatabaseKind: String, Sendable, Codable, Equatable {
    /// A `DatabaseQueue`.
    case queue
    /// A `DatabasePool`.
    case pool
    /// A `DatabaseSnapshot`.
    case snapshot
}

/// Interrupts asked for since the database was opened.
public struct InterruptStatus: Sendable, Codable, Equatable {
    /// How many times `interrupt()` was called.
    public var requested: UInt64
    /// How many statements ended with `SQLITE_INTERRUPT`, or were not prepared because of it.
    public var delivered: UInt64
    /// How many calls met no running statement on any connection; one that is being prepared does
    /// not run.
    public var withoutEffect: UInt64
    /// The time from a request to the statement's end with `SQLITE_INTERRUPT`; nil when there was
    /// none.
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
    /// Readers that serve an access now.
    public var inUse: Int
    /// Readers that are open.
    public var open: Int
    /// `Configuration.maximumReaderCount`.
    public var maximum: Int
    /// The most readers that accesses have used at the same time.
    public var peak: Int
    /// The sum of the times in which readers were held, in nanoseconds, the current holds
    /// included: its growth over `maximum` times the elapsed time is the *utilization*.
    public var busyNanoseconds: UInt64
    /// The time in which all readers were in use and somebody waited, in nanoseconds: its growth
    /// over the elapsed time is the *saturation*.
    public var saturatedNanoseconds: UInt64

    /// Creates a status; times are in nanoseconds since the database was opened.
    public init(
        inUse: Int,
        open: Int,
        maximum: Int,
        peak: Int = 0,
        busyNanoseconds: UInt64 = 0,
        saturatedNanoseconds: UInt64 = 0
    ) {
        self.inUse = inUse
        self.open = open
        self.maximum = maximum
        self.peak = peak
        self.busyNanoseconds = busyNanoseconds
        self.saturatedNanoseconds = saturatedNanoseconds
    }
}

/// All that can be seen of a database at one moment; taken without stopping anyone.
public struct DatabaseStatus: Sendable, Codable, Equatable {
    /// `Configuration.label`, or the type's name.
    public var label: String
    /// What kind of access object it is.
    public var kind: DatabaseKind
    /// The path of the database file; nil in memory.
    public var path: String?
    /// The journal mode in force, such as `wal` or `delete`; nil when not known.
    public var journalMode: String?
    /// The monotonic clock when the status was taken, in nanoseconds from an arbitrary origin.
    public var takenAtNanoseconds: UInt64
    /// Every open connection: writer first, then readers by number, then snapshots.
    public var connections: [ConnectionStatus]
    /// The readers of a pool; nil for a queue.
    public var readers: ReaderPoolStatus?
    /// Those who wait for a reader (for a queue: who wait to read), oldest first.
    public var waitingReaders: [WaiterStatus]
    /// Those who wait for the writer (for a queue: who wait to write), oldest first.
    public var waitingWriters: [WaiterStatus]
    /// The most accesses that waited for a reader at once (for a queue: that waited to read); nil
    /// where the library does not count them.
    public var waitingReadersPeak: Int?
    /// The most accesses that waited for the writer at once (for a queue: that waited to write); nil
    /// where the library does not count them.
    public var waitingWritersPeak: Int?
    /// How long accesses waited for a connection.
    public var acquire: LatencySummary?
    /// How long accesses held their connection.
    public var hold: LatencySummary?
    /// Live snapshots made from this database, oldest first.
    public var snapshots: [SnapshotStatus]
    /// How many snapshots were made since the database was opened.
    public var snapshotsMade: UInt64
    /// Interrupts since the database was opened.
    public var interrupts: InterruptStatus
    /// How many times a lock of another connection was met.
    public var busyCount: UInt64
    /// The write-ahead log; nil unless the database is in WAL mode.
    public var wal: WALStatus?
    /// Whether the database was closed.
    public var isClosed: Bool
    /// The share of the accesses of ``acquire``, in 0…1, that found a connection free; nil without
    /// any.
    public var acquiredAtOnce: Double?
    /// The same of ``writerAcquire``.
    public var writerAcquiredAtOnce: Double?
    /// How long accesses waited for the writer; nil where ``acquire`` says it.
    public var writerAcquire: LatencySummary?
    /// How long accesses held the writer; nil where ``hold`` says it.
    public var writerHold: LatencySummary?
    /// How long statements were inside SQLite, from their first step to their last: those of the
    /// accesses that ``splits`` count.
    public var statement: LatencySummary?
    /// How long commits of write transactions took.
    public var commit: LatencySummary?
    /// Where the time of accesses went.
    public var splits: [AccessSplit]?
    /// The connections that were opened; those of snapshots do not count.
    public var openings: OpeningStatus?
    /// The time spent waiting for locks of other connections, in nanoseconds.
    public var busyWaitNanoseconds: UInt64?
    /// What observed values cost; nil while there was none.
    public var observations: ObservationStatus?

    /// Creates a status; an empty one but for its label and kind by default.
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
        interrupts: InterruptStatus = InterruptStatus(),
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

    /// The age of the oldest waiter, of either kind, in nanoseconds; nil when nobody waits.
    public var oldestWaiterNanoseconds: UInt64? {
        (waitingReaders + waitingWriters).map(\.waitedNanoseconds).max()
    }
}
