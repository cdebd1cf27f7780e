import Telemetry

/// A database under load, as a scenario sees it: the one seam between a workload and a library.
///
/// A target is driven from many threads at once. Each access blocks the thread that asks for it.
public protocol WorkloadTarget: AnyObject, Sendable {
    /// Whether accesses of this kind exist here: a queue, for one, has no snapshots.
    func supports(_ access: WorkloadAccess) -> Bool

    /// Whether the target can do something that not every library and arm can.
    ///
    /// By default it can nothing of the kind.
    func has(_ ability: WorkloadAbility) -> Bool

    /// Copies the database into a new file at `path`, so many pages at a time.
    ///
    /// Only for ``WorkloadAbility/backup``.
    ///
    /// - Parameters:
    ///   - path: Where the copy goes; no file is there.
    ///   - pagesPerStep: How many pages are copied between two calls of `progress`.
    ///   - client: Who asks, for the target's own status.
    ///   - progress: Called after each step with the share that is done, in 0…1.
    /// - Throws: The library's error, and what `progress` threw.
    func backup(
        to path: String,
        pagesPerStep: Int,
        as client: WorkloadClientName,
        progress: @escaping (Double) throws -> Void
    ) throws

    /// Runs `body` once, inside an access of the database, on the calling thread.
    ///
    /// - Parameters:
    ///   - access: Which kind of access.
    ///   - client: Who asks, for the target's own status.
    ///   - body: Gets the session, which is valid inside the call only.
    /// - Throws: What the database or `body` threw; see ``failure(of:)``.
    func perform(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void
    ) throws

    /// The same as ``perform(_:as:_:)``, awaited: no thread is blocked meanwhile.
    ///
    /// Only for ``WorkloadAbility/tasks``. A task that is cancelled throws `CancellationError`.
    func performAsync(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        _ body: @escaping @Sendable (any WorkloadSession) throws -> Void
    ) async throws

    /// Writes in one transaction; then reads what was committed on a connection of its own.
    ///
    /// The read begins before the writer is let go, so that it shows this write and no later one,
    /// and goes on while others write. Only for ``WorkloadAbility/concurrentReads``.
    ///
    /// - Parameters:
    ///   - client: Who asks, for the target's own status.
    ///   - body: Writes; it gets the session, which is valid inside the call only.
    ///   - makeReading: Returns what reads; called when the write is committed.
    /// - Throws: What the write or the read threw; returns when both have ended.
    func performWrite(
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void,
        thenPerforming makeReading: () -> @Sendable (any WorkloadSession) throws -> Void
    ) throws

    /// Makes sure that the database understands a statement, without running it.
    ///
    /// By default nothing is checked.
    ///
    /// - Throws: Why it does not.
    func check(_ sql: String) throws

    /// Takes a snapshot, which lives until ``WorkloadSnapshot/release()`` or its last reference.
    func makeSnapshot(as client: WorkloadClientName) throws -> any WorkloadSnapshot

    /// Interrupts every statement that runs.
    func interrupt()

    /// Interrupts the statement that runs on one connection, by the label that the status shows.
    ///
    /// By default nothing is interrupted.
    ///
    /// - Returns: Whether there is such a connection.
    func interrupt(connection label: String) -> Bool

    /// What kind of failure an error that ``perform(_:as:_:)`` threw is.
    func failure(of error: any Error) -> WorkloadFailure

    /// The state of the database, or nil when the library cannot be watched.
    func status() -> DatabaseStatus?

    /// How the database executes an operation, and what it counts in one execution.
    ///
    /// By default nobody knows. What the statements write must not stay.
    ///
    /// - Parameters:
    ///   - statements: The operation's statements, in their order.
    ///   - access: The kind of access that runs them.
    ///   - running: Whether they may be run; otherwise they are only explained.
    /// - Returns: nil when the library cannot tell.
    /// - Throws: The library's error.
    func profile(
        _ statements: [BoundStatement],
        in access: WorkloadAccess,
        running: Bool
    ) throws -> OperationProfile?

    /// Lets the waits and holds of ``status()`` count anew: the measured part of a run begins.
    ///
    /// By default nothing happens.
    func restartTimes()

    /// How often connections of a guarded arm refused a statement, by what they refused, such as
    /// `ATTACH`.
    ///
    /// Empty by default.
    func refusals() -> [String: UInt64]

    /// Facts about the database for the result's environment, such as `journal_mode` = `wal`.
    func environment() throws -> [String: String]

    /// Closes the database; nobody uses the target afterwards.
    func close() throws
}

extension WorkloadTarget {
    /// Checks nothing.
    public func check(_ sql: String) throws {}

    /// Nothing beyond accesses.
    public func has(_ ability: WorkloadAbility) -> Bool { false }

    /// Refuses.
    public func backup(
        to path: String,
        pagesPerStep: Int,
        as client: WorkloadClientName,
        progress: @escaping (Double) throws -> Void
    ) throws { throw RunError(.scenario, "this arm makes no backups") }

    /// Refuses.
    public func performAsync(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        _ body: @escaping @Sendable (any WorkloadSession) throws -> Void
    ) async throws { throw RunError(.scenario, "this arm has no accesses that can be awaited") }

    /// Refuses.
    public func performWrite(
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void,
        thenPerforming makeReading: () -> @Sendable (any WorkloadSession) throws -> Void
    ) throws { throw RunError(.scenario, "this arm has no reads beside a write") }

    /// Writes in one transaction; then runs statements that read what was committed, on a
    /// connection of their own.
    ///
    /// - Parameters:
    ///   - client: Who asks, for the target's own status.
    ///   - body: Writes; it gets the session, which is valid inside the call only.
    ///   - statements: Returns the statements; called when the write is committed.
    /// - Throws: What the write or the read threw; returns when both have ended.
    public func performWrite(
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void,
        thenReading statements: () -> [BoundStatement]
    ) throws {
        try performWrite(
            as: client,
            body,
            thenPerforming: {
                let bound = statements()
                return { session in
                    for statement in bound { try session.run(statement.sql, statement.values) }
                }
            }
        )
    }

    /// Does nothing.
    public func restartTimes() {}

    /// Refused nothing.
    public func refusals() -> [String: UInt64] { [:] }

    /// Knows nothing.
    public func profile(
        _ statements: [BoundStatement],
        in access: WorkloadAccess,
        running: Bool
    ) throws -> OperationProfile? { nil }

    /// Interrupts nothing.
    public func interrupt(connection label: String) -> Bool { false }
}

/// What a target may be able to do beside accesses.
public enum WorkloadAbility: String, Sendable, CaseIterable {
    /// It has a write-ahead log, which checkpoints copy into the database.
    case writeAheadLog
    /// It copies its database while it is used.
    case backup
    /// Its database is a file that other processes can open.
    case sharedFile
    /// Its accesses can be awaited (``WorkloadTarget/performAsync(_:as:_:)``).
    case tasks
    /// A write can begin a read of what it committed, on another connection
    /// (``WorkloadTarget/performWrite(as:_:thenPerforming:)``).
    case concurrentReads

    /// Why a client that needs it cannot run.
    var obstacle: String {
        switch self {
        case .writeAheadLog: "this arm has no write-ahead log"
        case .backup: "this arm makes no backups"
        case .sharedFile: "no other process can open this arm's database"
        case .tasks: "this arm has no accesses that can be awaited"
        case .concurrentReads: "this arm has no reads beside a write"
        }
    }
}

/// The kinds of access that a client can ask for.
public enum WorkloadAccess: String, Sendable, Codable, CaseIterable {
    /// A read, in one transaction.
    case read
    /// A write, in one transaction.
    case write
    /// A write connection without a transaction.
    case writeWithoutTransaction
    /// A snapshot (only for ``WorkloadTarget/supports(_:)``).
    case snapshot
}

/// The database inside an access.
public protocol WorkloadSession {
    /// Runs a statement to its end; a library caches it by its text.
    ///
    /// - Parameters:
    ///   - sql: One statement, with `:name` or `?` parameters.
    ///   - values: The parameters' values, in the order of their first appearance.
    /// - Returns: How many rows it gave.
    /// - Throws: The library's error.
    @discardableResult
    func run(_ sql: String, _ values: [WorkloadValue]) throws -> Int

    /// The rows that a statement gives.
    func rows(_ sql: String, _ values: [WorkloadValue]) throws -> [[WorkloadValue]]

    /// What interrupts this connection's statement, from any thread while the access lasts; nil
    /// where the library has nothing of the kind, which is so by default. It may be called again
    /// and again for one interrupt.
    func makeInterrupt() -> (@Sendable () -> Void)?
}

extension WorkloadSession {
    /// There is none.
    public func makeInterrupt() -> (@Sendable () -> Void)? { nil }
}

/// A snapshot that a client holds.
public protocol WorkloadSnapshot: AnyObject, Sendable {
    /// Reads from the snapshot.
    func read(_ body: (any WorkloadSession) throws -> Void) throws
    /// Ends it.
    func release()
}

/// Opens targets: one library's way to make a database for an arm.
public protocol WorkloadTargetFactory: Sendable {
    /// Opens the database at `path` as the arm says; creates the file when there is none.
    func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget

    /// Copies a database that others may use meanwhile, as it is in one moment, to a new file with
    /// a rollback journal.
    ///
    /// By default nothing can be copied.
    ///
    /// - Parameters:
    ///   - source: The path of the database, which is only read.
    ///   - path: Where the copy goes; no file is there.
    ///   - progress: Gets the share that is done, in 0…1. What it throws ends the work.
    /// - Throws: Why `source` cannot be read or `path` cannot be written, or what `progress` threw.
    func copyDatabase(
        at source: String,
        to path: String,
        progress: (Double) throws -> Void
    ) throws

    /// Classifies an error that ``open(_:at:)`` threw; ``WorkloadFailure/error(_:)`` by default.
    func failure(of error: any Error) -> WorkloadFailure
}

extension WorkloadTargetFactory {
    /// Names the type of the error.
    public func failure(of error: any Error) -> WorkloadFailure { .error("\(type(of: error))") }

    /// Refuses.
    public func copyDatabase(
        at source: String,
        to path: String,
        progress: (Double) throws -> Void
    ) throws {
        throw RunError(.dataset, "this library copies no databases, so not \(source)")
    }
}

/// A value that goes to the database or comes from it.
public enum WorkloadValue: Sendable, Hashable {
    /// SQL NULL.
    case null
    /// A 64-bit integer.
    case integer(Int64)
    /// A double.
    case real(Double)
    /// A text.
    case text(String)
    /// Bytes.
    case blob([UInt8])
}

/// How an access failed.
public enum WorkloadFailure: Sendable, Hashable {
    /// An interrupt ended it (`SQLITE_INTERRUPT`, or `SQLITE_ABORT` after one).
    case interrupted
    /// The database was busy or locked; the code's name, such as `SQLITE_BUSY`.
    case busy(String)
    /// Anything else, by the name of its code.
    case error(String)
}
