import Foundation

#if canImport(Darwin)
import Dispatch
#else
// Outside Darwin, `DispatchQueue` is thread-safe but not declared as `Sendable`.
@preconcurrency import Dispatch
#endif

/// The settings for a database and its connections.
public struct Configuration: Sendable {
    /// The journal mode that a `DatabaseQueue` sets.
    ///
    /// A `DatabasePool` always uses WAL.
    public enum JournalModeConfiguration: Hashable, Sendable {
        /// Keeps the journal mode of the file.
        case `default`
        /// Switches to write-ahead logging, with `synchronous = NORMAL` unless a closure passed
        /// to ``Configuration/prepareDatabase(_:)`` sets a different value.
        case wal
    }

    /// An object that supplies primary keys for views, for which SQLite defines none.
    public var schemaSource: (any DatabaseSchemaSource)?

    /// The level of detail of the measurements.
    public enum ProbeLevel: Hashable, Sendable {
        /// Records nothing per access, so `status()` reports only connections and waiters.
        case off
        /// Records states, holders, counters, and histograms with two clock reads per access.
        ///
        /// Also splits the time of each access that waited, and of one in 32 other accesses, into
        /// phases.
        case counters
        /// Records the same as `counters`, but splits the time of every access into phases.
        case full
    }

    /// Whether foreign keys are enforced (`PRAGMA foreign_keys`).
    public var foreignKeysEnabled = true

    /// Whether connections are read-only.
    public var readonly = false

    /// The prefix of connection labels, or `nil` to use the name of the type.
    public var label: String?

    /// Whether SQLite treats a double-quoted identifier that matches no name as a string literal.
    public var acceptsDoubleQuotedStringLiterals = false

    /// The behavior of a connection when another connection holds a lock on the file.
    public var busyMode: Database.BusyMode = .immediateError

    /// The busy mode of a pool's readers, or `nil` for a timeout of ten seconds.
    public var readonlyBusyMode: Database.BusyMode?

    /// The maximum number of readers that a `DatabasePool` opens, which must be at least 1.
    public var maximumReaderCount = 5 {
        didSet {
            requirement(maximumReaderCount > 0, "maximumReaderCount must be at least 1")
        }
    }

    /// Whether a pool's reader, or a queue in WAL mode, may keep its read transaction open between
    /// two accesses while the transaction reflects the last committed state.
    ///
    /// This setting makes frequent reads several times faster and does not change the data that an
    /// access reads. A transaction is kept for at most 5 ms, and only between accesses that follow
    /// each other within 0.2 ms. No transaction is kept while this database or another process
    /// writes. Disable this setting if the process can be stopped between consecutive reads and
    /// must not hold a lock while it is stopped.
    public var keepsReadTransactions = true

    /// The journal mode of a `DatabaseQueue`.
    public var journalMode = JournalModeConfiguration.default

    /// Whether an access may leave its transaction open.
    public var allowsUnsafeTransactions = false

    /// The kind of transaction that `write` and `inTransaction` start on a connection that can
    /// write.
    var defaultTransactionKind: Database.TransactionKind { .immediate }

    /// Whether the database observes ``Database/suspendNotification`` and
    /// ``Database/resumeNotification``.
    public var observesSuspensionNotifications = false

    /// The quality of service of asynchronous accesses if no target queue is set.
    public var qos = DispatchQoS.userInitiated

    /// A dispatch queue on which all accesses run.
    ///
    /// With a serial queue, only one access runs at a time, even in a pool. Without a target queue,
    /// blocking accesses run on the calling thread, and no queue is involved.
    public var targetQueue: DispatchQueue?

    /// A dispatch queue on which the writer's accesses run, or all accesses of a `DatabaseQueue`.
    ///
    /// If this property is `nil`, ``targetQueue`` is used.
    public var writeTargetQueue: DispatchQueue?

    /// The quality of service of reads.
    public var readQoS: DispatchQoS { targetQueue?.qos ?? qos }

    /// The quality of service of writes.
    public var writeQoS: DispatchQoS { writeTargetQueue?.qos ?? targetQueue?.qos ?? qos }

    /// Whether a pool keeps its readers open when it releases memory.
    public var persistentReadOnlyConnections = false

    /// Whether errors include the arguments of the statement.
    ///
    /// Defaults to `false`, because arguments can contain private data.
    public var publicStatementArguments = false

    /// The clock that provides the value of `Database.transactionDate`.
    public var transactionClock: any TransactionClock = DefaultTransactionClock()

    /// The level of detail of the measurements.
    public var probes = ProbeLevel.counters

    var isForReaderOfWritablePool = false

    private(set) var setups: [@Sendable (Database) throws -> Void] = []

    private(set) var connectionDidOpen: (@Sendable () -> Void)?
    private(set) var connectionWillClose: (@Sendable (SQLiteConnection) -> Void)?
    private(set) var connectionDidClose: (@Sendable () -> Void)?

    /// Creates the default configuration.
    public init() {}

    /// Adds a closure that runs on each new connection.
    ///
    /// The closures run in the order in which they were added, before the first access. They can
    /// add functions and collations or set pragmas. If a closure throws an error, the access that
    /// needed the connection throws the same error.
    public mutating func prepareDatabase(
        _ setup: @escaping @Sendable (Database) throws -> Void
    ) {
        setups.append(setup)
    }

    mutating func onConnectionDidOpen(_ callback: @escaping @Sendable () -> Void) {
        connectionDidOpen = callback
    }

    mutating func onConnectionWillClose(
        _ callback: @escaping @Sendable (SQLiteConnection) -> Void
    ) {
        connectionWillClose = callback
    }

    mutating func onConnectionDidClose(_ callback: @escaping @Sendable () -> Void) {
        connectionDidClose = callback
    }
}

/// A type that provides the date of a transaction.
public protocol TransactionClock: Sendable {
    /// Returns the date for a transaction that starts on `db`.
    func now(_ db: Database) throws -> Date
}

/// A clock that returns the current date.
public struct DefaultTransactionClock: TransactionClock {
    /// Returns the current date.
    public func now(_ db: Database) throws -> Date { Date() }
}

extension TransactionClock where Self == DefaultTransactionClock {
    /// A clock that returns the current date.
    public static var `default`: Self { DefaultTransactionClock() }
}

/// A clock that calls a closure.
public struct CustomTransactionClock: TransactionClock {
    private let closure: @Sendable (Database) throws -> Date

    /// Creates a clock that calls `closure`.
    public init(_ closure: @escaping @Sendable (Database) throws -> Date) {
        self.closure = closure
    }

    /// Returns the date that the closure returns.
    public func now(_ db: Database) throws -> Date { try closure(db) }
}

extension TransactionClock where Self == CustomTransactionClock {
    /// Returns a clock that calls `closure`.
    public static func custom(_ closure: @escaping @Sendable (Database) throws -> Date) -> Self {
        CustomTransactionClock(closure)
    }
}
