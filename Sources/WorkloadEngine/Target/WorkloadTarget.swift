import Telemetry

/// A database under load: the interface between a workload and a library.
///
/// Many threads use a target concurrently. Each access blocks the calling thread.
public protocol WorkloadTarget: AnyObject, Sendable {
    /// Returns whether the target supports a kind of access; for example, queues have no snapshots.
    func supports(_ access: WorkloadAccess) -> Bool

    /// Returns whether the target has an optional ability.
    ///
    /// Defaults to `false`.
    func has(_ ability: WorkloadAbility) -> Bool

    /// Copies the database into a new file at `path`, in steps of `pagesPerStep` pages.
    ///
    /// Only for ``WorkloadAbility/backup``.
    ///
    /// - Parameters:
    ///   - path: The path of the copy, which must not exist.
    ///   - pagesPerStep: The number of pages between two calls of `progress`.
    ///   - client: The client's name for the target's status.
    ///   - progress: Called after each step with the completed share, in 0…1.
    /// - Throws: Errors of the library and of `progress`.
    func backup(
        to path: String,
        pagesPerStep: Int,
        as client: WorkloadClientName,
        progress: @escaping (Double) throws -> Void
    ) throws

    /// Runs `body` once, inside an access of the database, on the calling thread.
    ///
    /// - Parameters:
    ///   - access: The kind of access.
    ///   - client: The client's name for the target's status.
    ///   - body: Receives the session, which is only valid inside the call.
    /// - Throws: Errors of the database and of `body`; see ``failure(of:)``.
    func perform(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void
    ) throws

    /// Like ``perform(_:as:_:)``, but suspends the task instead of blocking the thread.
    ///
    /// Only for ``WorkloadAbility/tasks``. A task that is cancelled throws `CancellationError`.
    func performAsync(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        _ body: @escaping @Sendable (any WorkloadSession) throws -> Void
    ) async throws

    /// Writes in one transaction; then reads the committed state on another connection.
    ///
    /// The read starts before the writer is released, so that it sees this write and no later one,
    /// and continues while others write. Only for ``WorkloadAbility/concurrentReads``.
    ///
    /// Returns after both the write and the read have ended.
    ///
    /// - Parameters:
    ///   - client: The client's name for the target's status.
    ///   - body: Writes; it receives the session, which is only valid inside the call.
    ///   - makeReading: Returns the closure that reads; called after the write has committed.
    /// - Throws: Errors of the write and of the read.
    func performWrite(
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void,
        thenPerforming makeReading: () -> @Sendable (any WorkloadSession) throws -> Void
    ) throws

    /// Checks that the database can prepare a statement, without running it.
    ///
    /// By default, does nothing.
    ///
    /// - Throws: The database's error.
    func check(_ sql: String) throws

    /// Takes a snapshot, which lives until ``WorkloadSnapshot/release()`` or its last reference.
    func makeSnapshot(as client: WorkloadClientName) throws -> any WorkloadSnapshot

    /// Interrupts every running statement.
    func interrupt()

    /// Interrupts the running statement of a connection, by its label in the status.
    ///
    /// By default, does nothing and returns `false`.
    ///
    /// - Returns: Whether the connection exists.
    func interrupt(connection label: String) -> Bool

    /// Classifies an error that ``perform(_:as:_:)`` threw.
    func failure(of error: any Error) -> WorkloadFailure

    /// Describes an error that ``failure(of:)`` classified as `SQLITE_BUSY`; call this on the thread
    /// of the access, immediately after it.
    ///
    /// By default, returns nil: the details are unknown.
    func busyFailure(of error: any Error) -> BusyFailure?

    /// The client that holds the write lock through this target; nil if none does, and by default.
    var writingClient: String? { get }

    /// Returns the state of the database, or nil if the library has no probes.
    func status() -> DatabaseStatus?

    /// Returns how the database executes an operation, and the counters of one execution.
    ///
    /// By default, returns nil. Implementations must roll back the statements' writes.
    ///
    /// - Parameters:
    ///   - statements: The operation's statements, in order.
    ///   - access: The kind of access that runs them.
    ///   - running: Whether to run the statements, or only explain them.
    /// - Returns: The profile; nil if the library does not support profiles.
    /// - Throws: The library's error.
    func profile(
        _ statements: [BoundStatement],
        in access: WorkloadAccess,
        running: Bool
    ) throws -> OperationProfile?

    /// Resets the waits and holds in ``status()`` when the measured part of a run starts.
    ///
    /// By default, does nothing.
    func restartTimes()

    /// Returns the number of statements that connections of a guarded arm rejected, by kind, such
    /// as `ATTACH`.
    ///
    /// Empty by default.
    func refusals() -> [String: UInt64]

    /// Returns facts about the database for the result, such as `journal_mode` = `wal`.
    func environment() throws -> [String: String]

    /// Closes the database; the target must not be used afterwards.
    func close() throws
}

extension WorkloadTarget {
    /// Does nothing.
    public func check(_ sql: String) throws {}

    /// Returns `false`.
    public func has(_ ability: WorkloadAbility) -> Bool { false }

    /// Throws, because backups are not supported by default.
    public func backup(
        to path: String,
        pagesPerStep: Int,
        as client: WorkloadClientName,
        progress: @escaping (Double) throws -> Void
    ) throws { throw RunError(.scenario, "this arm does not support backups") }

    /// Throws, because asynchronous accesses are not supported by default.
    public func performAsync(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        _ body: @escaping @Sendable (any WorkloadSession) throws -> Void
    ) async throws { throw RunError(.scenario, "this arm does not support tasks") }

    /// Throws, because concurrent reads are not supported by default.
    public func performWrite(
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void,
        thenPerforming makeReading: () -> @Sendable (any WorkloadSession) throws -> Void
    ) throws { throw RunError(.scenario, "this arm does not support concurrent reads") }

    /// Writes in one transaction; then runs statements that read the committed state, on another
    /// connection.
    ///
    /// Returns after both the write and the reads have ended.
    ///
    /// - Parameters:
    ///   - client: The client's name for the target's status.
    ///   - body: Writes; it receives the session, which is only valid inside the call.
    ///   - statements: Returns the statements; called after the write has committed.
    /// - Throws: Errors of the write and of the reads.
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

    /// Returns an empty dictionary.
    public func refusals() -> [String: UInt64] { [:] }

    /// Returns nil.
    public func profile(
        _ statements: [BoundStatement],
        in access: WorkloadAccess,
        running: Bool
    ) throws -> OperationProfile? { nil }

    /// Returns nil.
    public func busyFailure(of error: any Error) -> BusyFailure? { nil }

    /// Nil.
    public var writingClient: String? { nil }

    /// Returns `false`.
    public func interrupt(connection label: String) -> Bool { false }
}

/// An optional ability of a target.
public enum WorkloadAbility: String, Sendable, CaseIterable {
    /// The database has a write-ahead log, which checkpoints copy into the database.
    case writeAheadLog
    /// The target can copy its database while it is in use.
    case backup
    /// The database is a file that other processes can open.
    case sharedFile
    /// Tasks can await accesses (``WorkloadTarget/performAsync(_:as:_:)``).
    case tasks
    /// A write can start a read of its committed state on another connection
    /// (``WorkloadTarget/performWrite(as:_:thenPerforming:)``).
    case concurrentReads

    /// Why a client that needs the ability cannot run.
    var obstacle: String {
        switch self {
        case .writeAheadLog: "this arm has no write-ahead log"
        case .backup: "this arm does not support backups"
        case .sharedFile: "other processes cannot open this arm's database"
        case .tasks: "this arm does not support tasks"
        case .concurrentReads: "this arm does not support concurrent reads"
        }
    }
}

/// The kinds of access.
public enum WorkloadAccess: String, Sendable, Codable, CaseIterable {
    /// A read, in one transaction.
    case read
    /// A write, in one transaction.
    case write
    /// Access to the write connection without a transaction.
    case writeWithoutTransaction
    /// A snapshot, if ``WorkloadTarget/supports(_:)`` returns `true` for it.
    case snapshot

    /// Whether it uses the write connection.
    var isWrite: Bool { self == .write || self == .writeWithoutTransaction }
}

/// The database inside an access.
public protocol WorkloadSession {
    /// Runs a statement to its end; libraries cache statements by their text.
    ///
    /// - Parameters:
    ///   - sql: One statement, with `:name` or `?` parameters.
    ///   - values: The parameters' values, in the order of their first appearance.
    /// - Returns: The number of rows that it returned.
    /// - Throws: The library's error.
    @discardableResult
    func run(_ sql: String, _ values: [WorkloadValue]) throws -> Int

    /// Returns the rows of a statement.
    func rows(_ sql: String, _ values: [WorkloadValue]) throws -> [[WorkloadValue]]

    /// Returns a closure that interrupts this connection's statement, from any thread during the
    /// access; nil if the library does not support it, as by default. The closure may be called
    /// repeatedly for one interrupt.
    func makeInterrupt() -> (@Sendable () -> Void)?
}

extension WorkloadSession {
    /// Returns nil.
    public func makeInterrupt() -> (@Sendable () -> Void)? { nil }
}

/// A snapshot that a client holds.
public protocol WorkloadSnapshot: AnyObject, Sendable {
    /// Reads from the snapshot.
    func read(_ body: (any WorkloadSession) throws -> Void) throws
    /// Releases the snapshot.
    func release()
}

/// Opens a library's databases for arms.
public protocol WorkloadTargetFactory: Sendable {
    /// Opens the database at `path` according to the arm; creates a missing file.
    func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget

    /// Copies one state of a database, which others may use concurrently, to a new file with a
    /// rollback journal.
    ///
    /// By default, throws.
    ///
    /// - Parameters:
    ///   - source: The path of the database, which is only read.
    ///   - path: The path of the copy, which must not exist.
    ///   - progress: Receives the completed share, in 0…1; an error that it throws ends the copy.
    /// - Throws: An error if `source` cannot be read or `path` cannot be written, or an error of
    ///   `progress`.
    func copyDatabase(
        at source: String,
        to path: String,
        progress: (Double) throws -> Void
    ) throws

    /// Returns the journal mode of a database that exists; nil, the default, if it is unknown.
    ///
    /// - Throws: An error of the library, for example if another process has locked the database.
    func journalMode(ofDatabaseAt path: String) throws -> Arm.Journal?

    /// Classifies an error that ``open(_:at:)`` threw; ``WorkloadFailure/error(_:)`` by default.
    func failure(of error: any Error) -> WorkloadFailure
}

extension WorkloadTargetFactory {
    /// Returns the type of the error.
    public func failure(of error: any Error) -> WorkloadFailure { .error("\(type(of: error))") }

    /// Returns nil.
    public func journalMode(ofDatabaseAt path: String) throws -> Arm.Journal? { nil }

    /// Throws, because copies are not supported by default.
    public func copyDatabase(
        at source: String,
        to path: String,
        progress: (Double) throws -> Void
    ) throws {
        throw RunError(.dataset, "this library cannot copy the database \(source)")
    }
}

/// A value in a statement or a row.
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

/// The kind of an access's failure.
public enum WorkloadFailure: Sendable, Hashable {
    /// An interrupt ended it (`SQLITE_INTERRUPT`, or `SQLITE_ABORT` after one).
    case interrupted
    /// The database was busy or locked; the code's name, such as `SQLITE_BUSY`.
    case busy(String)
    /// Any other error, by the name of its code.
    case error(String)
}
