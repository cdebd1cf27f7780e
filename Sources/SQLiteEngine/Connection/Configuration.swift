#if canImport(Darwin)
import Dispatch
#else
// Outside Darwin, `DispatchQueue` is thread-safe but not declared as `Sendable`.
@preconcurrency import Dispatch
#endif

/// How a database is opened, and how its connections behave.
public struct Configuration: Sendable {
    /// Which journal mode a `DatabaseQueue` sets; a `DatabasePool` always uses WAL.
    public enum JournalModeConfiguration: Hashable, Sendable {
        /// Leaves the journal mode of the file alone.
        case `default`
        /// Switches to write-ahead logging, with `synchronous = NORMAL` unless a closure of
        /// ``Configuration/prepareDatabase(_:)`` sets another value.
        case wal
    }

    /// Says what SQLite cannot know of the schema: the primary keys of views.
    public var schemaSource: (any DatabaseSchemaSource)?

    /// How much the connections tell about themselves.
    public enum ProbeLevel: Hashable, Sendable {
        /// Nothing is recorded per access; `status()` knows connections and waiters only.
        case off
        /// States, holders, counters and histograms: two clock reads for each access. Where the
        /// time went is taken of each access that waited, and of one in 32 of the others.
        case counters
        /// Like `counters`, and where the time went of every access.
        case full
    }

    /// Whether foreign keys are enforced (`PRAGMA foreign_keys`).
    public var foreignKeysEnabled = true

    /// Whether connections refuse to write.
    public var readonly = false

    /// The prefix of the connections' labels; the type's name by default.
    public var label: String?

    /// Whether a double-quoted identifier that names nothing is a string.
    public var acceptsDoubleQuotedStringLiterals = false

    /// What happens when another connection holds a lock on the file.
    public var busyMode: Database.BusyMode = .immediateError

    /// How a pool's readers meet a lock; nil for a timeout of ten seconds.
    public var readonlyBusyMode: Database.BusyMode?

    /// The most readers that a `DatabasePool` opens; at least 1.
    public var maximumReaderCount = 5 {
        didSet {
            requirement(maximumReaderCount > 0, "maximumReaderCount must be at least 1")
        }
    }

    /// Whether a pool's reader, or a queue in WAL mode, may keep its read transaction open between
    /// two accesses while it shows the last committed state anyway.
    ///
    /// It makes dense reads several times as fast, and changes nothing that an access sees. A
    /// transaction is kept for at most 5 ms, only between accesses that follow each other within
    /// 0.2 ms, never while the database writes, and not while another process writes. Switch it off
    /// where a process may be stopped at any moment between back-to-back reads, and must not hold a
    /// lock then.
    public var keepsReadTransactions = true

    /// The journal mode of a `DatabaseQueue`.
    public var journalMode = JournalModeConfiguration.default

    /// Whether an access may leave its transaction open.
    public var allowsUnsafeTransactions = false

    /// The kind of the transactions that `write` and `inTransaction` begin on a connection that
    /// may write.
    var defaultTransactionKind: Database.TransactionKind { .immediate }

    /// Whether the database obeys ``Database/suspendNotification`` and
    /// ``Database/resumeNotification``.
    public var observesSuspensionNotifications = false

    /// The class of the work of asynchronous accesses, where there is no target queue.
    public var qos = DispatchQoS.userInitiated

    /// A dispatch queue that all accesses go through.
    ///
    /// A serial one lets one access run at a time, in a pool, too. Without a target, accesses that
    /// block the thread run on it and no queue is involved.
    public var targetQueue: DispatchQueue?

    /// A dispatch queue that the writer's accesses go through, and all those of a `DatabaseQueue`;
    /// ``targetQueue`` by default.
    public var writeTargetQueue: DispatchQueue?

    /// The class of the work of reads.
    public var readQoS: DispatchQoS { targetQueue?.qos ?? qos }

    /// The class of the work of writes.
    public var writeQoS: DispatchQoS { writeTargetQueue?.qos ?? targetQueue?.qos ?? qos }

    /// Whether a pool keeps its readers when it is told to release memory.
    public var persistentReadOnlyConnections = false

    /// Whether errors show the arguments of their statement: off, because these may be private.
    public var publicStatementArguments = false

    /// The clock of `Database.transactionDate`.
    public var transactionClock: any TransactionClock = DefaultTransactionClock()

    /// How much the connections tell about themselves.
    public var probes = ProbeLevel.counters

    /// Whether it is the copy for the readers of a pool that may write.
    var isForReaderOfWritablePool = false

    private(set) var setups: [@Sendable (Database) throws -> Void] = []

    /// Called when a connection was opened.
    private(set) var connectionDidOpen: (@Sendable () -> Void)?
    /// Called before a connection is closed.
    private(set) var connectionWillClose: (@Sendable (SQLiteConnection) -> Void)?
    /// Called when a connection was closed.
    private(set) var connectionDidClose: (@Sendable () -> Void)?

    /// Creates the default configuration.
    public init() {}

    /// Adds a closure that runs on each new connection, in the order of the calls.
    ///
    /// The closures run before the first access, and may register functions, collations and
    /// pragmas. An error that one throws is thrown by the access that needed the connection.
    public mutating func prepareDatabase(
        _ setup: @escaping @Sendable (Database) throws -> Void
    ) {
        setups.append(setup)
    }

    /// Sets the closure that hears of each connection that was opened.
    mutating func onConnectionDidOpen(_ callback: @escaping @Sendable () -> Void) {
        connectionDidOpen = callback
    }

    /// Sets the closure that hears of each connection that is about to be closed.
    mutating func onConnectionWillClose(
        _ callback: @escaping @Sendable (SQLiteConnection) -> Void
    ) {
        connectionWillClose = callback
    }

    /// Sets the closure that hears of each connection that was closed.
    mutating func onConnectionDidClose(_ callback: @escaping @Sendable () -> Void) {
        connectionDidClose = callback
    }
}
