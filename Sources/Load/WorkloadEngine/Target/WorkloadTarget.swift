import Scenarios
import Synchronization
import Telemetry

/// A database under load, accessed through a library.
///
/// Many threads can use a target concurrently. Each access blocks the calling thread.
public protocol WorkloadTarget: AnyObject, Sendable {
    /// Returns whether the target supports a kind of access.
    func supports(_ access: WorkloadAccess) -> Bool

    /// Returns whether the target has an optional capability.
    ///
    /// The default implementation returns `false`.
    func has(_ capability: WorkloadAbility) -> Bool

    /// Copies the database to a new file.
    ///
    /// Requires ``WorkloadAbility/backup``.
    ///
    /// - Parameters:
    ///   - path: The path of the copy, where no file may exist.
    ///   - pagesPerStep: The number of pages between two calls to `progress`.
    ///   - client: The client's name for the target's status.
    ///   - progress: A function to call after each step with the completed fraction, from 0 to 1.
    /// - Throws: An error that the library or `progress` throws.
    func backup(
        to path: String,
        pagesPerStep: Int,
        as client: WorkloadClientName,
        progress: @escaping (Double) throws -> Void
    ) throws

    /// Runs `body` once inside an access to the database, on the calling thread.
    ///
    /// - Parameters:
    ///   - access: The kind of access.
    ///   - client: The client's name for the target's status.
    ///   - body: A closure that receives the session. The session is valid only inside the call.
    /// - Throws: An error that the database or `body` throws; see ``failure(of:)``.
    func perform(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void
    ) throws

    /// Runs `body` like ``perform(_:as:_:)``, but suspends the task instead of blocking the
    /// thread.
    ///
    /// Requires ``WorkloadAbility/tasks``. A canceled task throws `CancellationError`.
    func performAsync(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        _ body: @escaping @Sendable (any WorkloadSession) throws -> Void
    ) async throws

    /// Writes in one transaction, then reads the committed state on another connection.
    ///
    /// The read starts before the writer is released, so it includes this write but no later
    /// write. Other clients can write during the read. This method returns after the write and
    /// the read end.
    ///
    /// Requires ``WorkloadAbility/concurrentReads``.
    ///
    /// - Parameters:
    ///   - client: The client's name for the target's status.
    ///   - body: A closure that writes through a session. The session is valid only inside the
    ///     call.
    ///   - makeReading: A function to call after the commit. It returns the closure that reads.
    /// - Throws: An error in the write or the read.
    func performWrite(
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void,
        thenPerforming makeReading: () -> @Sendable (any WorkloadSession) throws -> Void
    ) throws

    /// Checks that the database can prepare a statement, without running it.
    ///
    /// The default implementation does nothing.
    ///
    /// - Throws: The database's error.
    func check(_ sql: String) throws

    /// Takes a snapshot that exists until it is released.
    ///
    /// Call ``WorkloadSnapshot/release()`` to release the snapshot. Releasing the last reference
    /// has the same effect.
    func makeSnapshot(as client: WorkloadClientName) throws -> any WorkloadSnapshot

    /// Interrupts every running statement.
    func interrupt()

    /// Interrupts the running statement of a connection, identified by its label in the status.
    ///
    /// The default implementation returns `false`.
    ///
    /// - Returns: Whether the connection exists and can be interrupted.
    func interrupt(connection label: String) -> Bool

    /// Classifies an error that ``perform(_:as:_:)`` threw.
    func failure(of error: any Error) -> WorkloadFailure

    /// Describes an error that ``failure(of:)`` classified as `SQLITE_BUSY`.
    ///
    /// Call this method on the access's thread, immediately after the access. The default
    /// implementation returns `nil`.
    func busyFailure(of error: any Error) -> BusyFailure?

    /// The client that holds the write lock through this target, or `nil` if there is none or the
    /// target does not know the client.
    ///
    /// The default implementation returns `nil`.
    var writingClient: String? { get }

    /// Returns the database's status, or `nil` if the library has no probes.
    func status() -> DatabaseStatus?

    /// Profiles how the database executes an operation.
    ///
    /// Implementations must roll back the writes of the statements. The default implementation
    /// returns `nil`.
    ///
    /// - Parameters:
    ///   - statements: The operation's statements, in order.
    ///   - access: The kind of access for the statements.
    ///   - running: Whether to run the statements rather than only explain them.
    /// - Returns: The profile, or `nil` if the library does not support profiles.
    /// - Throws: The library's error.
    func profile(
        _ statements: [BoundStatement],
        in access: WorkloadAccess,
        running: Bool
    ) throws -> OperationProfile?

    /// Resets the wait and hold times that ``status()`` reports.
    ///
    /// A run calls this method when the first measured phase starts. The default implementation
    /// does nothing.
    func restartTimes()

    /// Returns the number of statements that a guarded arm rejected, keyed by kind, such as
    /// `ATTACH`.
    ///
    /// The default implementation returns an empty dictionary.
    func refusals() -> [String: UInt64]

    /// Returns properties of the database for the result, such as `wal` for
    /// `journal_mode`.
    func environment() throws -> [String: String]

    /// Closes the database.
    ///
    /// Do not use the target afterwards.
    func close() throws
}

extension WorkloadTarget {
    /// Does nothing.
    public func check(_ sql: String) throws {}

    /// Returns `false`.
    public func has(_ capability: WorkloadAbility) -> Bool { false }

    /// Throws an error, because backups are not supported by default.
    public func backup(
        to path: String,
        pagesPerStep: Int,
        as client: WorkloadClientName,
        progress: @escaping (Double) throws -> Void
    ) throws { throw RunError(.scenario, "this arm does not support backups") }

    /// Throws an error, because asynchronous accesses are not supported by default.
    public func performAsync(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        _ body: @escaping @Sendable (any WorkloadSession) throws -> Void
    ) async throws { throw RunError(.scenario, "this arm does not support tasks") }

    /// Throws an error, because concurrent reads are not supported by default.
    public func performWrite(
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void,
        thenPerforming makeReading: () -> @Sendable (any WorkloadSession) throws -> Void
    ) throws { throw RunError(.scenario, "this arm does not support concurrent reads") }

    /// Writes in one transaction, then runs reading statements on another connection.
    ///
    /// This method returns after the write and the reads end.
    ///
    /// - Parameters:
    ///   - client: The client's name for the target's status.
    ///   - body: A closure that writes through a session. The session is valid only inside the
    ///     call.
    ///   - statements: A function to call after the commit. It returns the statements that read.
    /// - Throws: An error in the write or the reads.
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

    /// Returns `nil`.
    public func profile(
        _ statements: [BoundStatement],
        in access: WorkloadAccess,
        running: Bool
    ) throws -> OperationProfile? { nil }

    /// Returns `nil`.
    public func busyFailure(of error: any Error) -> BusyFailure? { nil }

    /// Returns `nil`.
    public var writingClient: String? { nil }

    /// Returns `false`.
    public func interrupt(connection label: String) -> Bool { false }
}

/// An optional capability of a target.
public enum WorkloadAbility: String, Sendable, CaseIterable {
    /// The database has a write-ahead log.
    case writeAheadLog
    /// The target can copy its database while the database is in use.
    case backup
    /// Other processes can open the database file.
    case sharedFile
    /// Tasks can await accesses (``WorkloadTarget/performAsync(_:as:_:)``).
    case tasks
    /// A write can start a read of its committed state on another connection
    /// (``WorkloadTarget/performWrite(as:_:thenPerforming:)``).
    case concurrentReads

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

/// The database inside an access.
public protocol WorkloadSession {
    /// Runs a statement to completion.
    ///
    /// Libraries cache statements by their text.
    ///
    /// - Parameters:
    ///   - sql: One statement, with `:name` or `?` parameters.
    ///   - values: The parameters' values, in order of first appearance.
    /// - Returns: The number of rows that the statement returned.
    /// - Throws: The library's error.
    @discardableResult
    func run(_ sql: String, _ values: [WorkloadValue]) throws -> Int

    /// Runs a statement and returns its rows.
    func rows(_ sql: String, _ values: [WorkloadValue]) throws -> [[WorkloadValue]]

    /// Returns a closure that interrupts this connection's statement, or `nil` if not supported.
    ///
    /// Any thread can call the closure during the access, repeatedly if necessary. The default
    /// implementation returns `nil`.
    func makeInterrupt() -> (@Sendable () -> Void)?
}

extension WorkloadSession {
    /// Returns `nil`.
    public func makeInterrupt() -> (@Sendable () -> Void)? { nil }
}

/// A snapshot that a client holds.
public protocol WorkloadSnapshot: AnyObject, Sendable {
    /// Reads from the snapshot.
    func read(_ body: (any WorkloadSession) throws -> Void) throws
    /// Releases the snapshot.
    func release()
}

/// A factory that opens a library's databases for arms.
public protocol WorkloadTargetFactory: Sendable {
    /// Opens the database at `path` according to the arm, creating the file if necessary.
    func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget

    /// Copies a consistent state of a database to a new file in rollback-journal mode.
    ///
    /// Other connections can use the database during the copy. The default implementation throws
    /// an error.
    ///
    /// - Parameters:
    ///   - source: The path of the database to copy. The database does not change.
    ///   - path: The path of the copy, where no file may exist.
    ///   - progress: A function to call with the completed fraction, from 0 to 1. If the function
    ///     throws an error, the copy ends.
    /// - Throws: An error if `source` cannot be read or `path` cannot be written, or an error
    ///   that `progress` throws.
    func copyDatabase(
        at source: String,
        to path: String,
        progress: (Double) throws -> Void
    ) throws

    /// Returns the journal mode of an existing database, or `nil` if unknown.
    ///
    /// The default implementation returns `nil`.
    ///
    /// - Throws: The library's error, for example if another process has locked the database.
    func journalMode(ofDatabaseAt path: String) throws -> Arm.Journal?

    /// Classifies an error that ``open(_:at:)`` threw.
    ///
    /// The default implementation returns ``WorkloadFailure/error(_:)``.
    func failure(of error: any Error) -> WorkloadFailure
}

extension WorkloadTargetFactory {
    /// Returns a failure with the name of the error's type.
    public func failure(of error: any Error) -> WorkloadFailure { .error("\(type(of: error))") }

    /// Returns `nil`.
    public func journalMode(ofDatabaseAt path: String) throws -> Arm.Journal? { nil }

    /// Throws an error, because copies are not supported by default.
    public func copyDatabase(
        at source: String,
        to path: String,
        progress: (Double) throws -> Void
    ) throws {
        throw RunError(.dataset, "this library cannot copy the database \(source)")
    }
}

/// The kind of failure of an access.
public enum WorkloadFailure: Sendable, Codable, Hashable {
    /// An interrupt ended the access with `SQLITE_INTERRUPT`, or with a subsequent
    /// `SQLITE_ABORT`.
    case interrupted
    /// The database was busy or locked, with the name of the result code, such as `SQLITE_BUSY`.
    case busy(String)
    /// Any other error, with the name of its code.
    case error(String)
}

/// A client's name, prepared so that accesses do not have to create or look up strings.
public struct WorkloadClientName: Sendable, Hashable {
    /// The name in the scenario.
    public let name: String
    package let memo = Memo()

    /// Creates a name.
    public init(_ name: String) { self.name = name }

    /// Returns whether two clients have the same name.
    public static func == (left: Self, right: Self) -> Bool { left.name == right.name }

    /// Hashes the name into `hasher`.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// A number that a target stores with a name, shared by all copies of the name.
    package final class Memo: Sendable {
        private let number = Atomic<Int>(-1)

        /// Returns the stored number, or stores and returns the result of `make` if there is
        /// none.
        ///
        /// Concurrent callers may each call `make`, which must always return the same number.
        package func number(orMake make: () -> Int) -> Int {
            let stored = number.load(ordering: .relaxed)
            if stored >= 0 { return stored }
            let made = make()
            number.store(made, ordering: .relaxed)
            return made
        }
    }
}

/// A statement with the values of its parameters.
public struct BoundStatement: Sendable, Hashable {
    /// The SQL text.
    public var sql: String
    /// The values of the parameters, in order of first appearance.
    public var values: [WorkloadValue]

    /// Creates a statement with values.
    public init(sql: String, values: [WorkloadValue]) {
        self.sql = sql
        self.values = values
    }
}
