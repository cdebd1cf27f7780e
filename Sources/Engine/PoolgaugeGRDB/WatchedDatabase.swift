#if GRDB
import Foundation
import GRDB
import Telemetry

/// A GRDB database whose status an agent or a metrics reporter can report.
///
/// Open the database in the closure of ``init(configuration:open:)``, and start an agent:
///
/// ```swift
/// let watched = try WatchedDatabase { try DatabasePool(path: path, configuration: $0) }
/// let agent = try Agent.start(watched, name: "app")
/// ```
///
/// The status contains all connections of ``database``, their statements and transactions, and the
/// locks of other connections that they encountered. GRDB does not report which accesses wait for a
/// connection. Waits and call sites are known only for accesses through the methods of this class,
/// which otherwise behave like the methods of ``database``. An unknown value is `nil`.
///
/// An access that does not use these methods holds its connection while a statement or a
/// transaction is open. In `writeWithoutTransaction` and `unsafeRead`, each statement counts as one
/// access.
public final class WatchedDatabase<Writer: DatabaseWriter>: Sendable {
    /// The GRDB database.
    public let database: Writer
    let ledger: AccessLedger
    private let identity: DatabaseIdentity

    /// Opens a database and observes its connections.
    ///
    /// The observation uses the SQLite trace function and busy handler of each connection. The busy
    /// handler retries as configured. If the program later calls `db.trace` or changes the busy
    /// timeout of a connection, that connection's statements or locks are no longer observed.
    ///
    /// - Parameters:
    ///   - configuration: The configuration of the database.
    ///   - open: A closure that opens one database with the passed configuration.
    /// - Throws: The error that `open` throws.
    public init(
        configuration: Configuration = Configuration(),
        open: (Configuration) throws -> Writer
    ) throws {
        let ledger = AccessLedger(tracesStatements: true)
        database = try open(ledger.observing(configuration))
        self.ledger = ledger
        identity = DatabaseIdentity(of: database)
        ledger.start(maximumReaders: identity.maximumReaders)
    }
}

extension WatchedDatabase: StatusReporting {
    /// Returns the observed status without blocking any access.
    public func status() -> DatabaseStatus {
        var status = ledger.status(label: identity.label, kind: identity.kind)
        status.path = identity.path
        status.journalMode = identity.journalMode
        // SQLite removes the log when the database is closed.
        if identity.journalMode == "wal", let path = identity.path, !status.isClosed {
            // Opening and closing the file would release the process's locks on the database.
            let size = try? FileManager.default.attributesOfItem(atPath: path + "-wal")[.size]
            status.wal = (size as? NSNumber).map { WALStatus(bytes: $0.uint64Value) }
        }
        return status
    }

    /// Returns a stream of new events.
    ///
    /// The stream reports slow accesses through the methods of this class, encountered locks, the
    /// creation and closing of snapshots, closed connections, and calls to ``interrupt()``. Each
    /// call returns a separate stream, which ends when the database is deallocated.
    ///
    /// - Parameters:
    ///   - limit: The minimum duration of a slow access, including its wait.
    ///   - capacity: The number of events to buffer. When the buffer is full, the stream drops the
    ///     oldest event.
    /// - Returns: The stream of events.
    public func events(
        slowerThan limit: Duration = .milliseconds(100),
        buffering capacity: Int = 256
    ) -> AsyncStream<ConnectionEvent> {
        ledger.listeners.events(slowerThan: limit, buffering: capacity)
    }

    /// Interrupts the running statements, like the method of ``database``.
    public func interrupt() {
        ledger.didRequestInterrupt(label: identity.label)
        database.interrupt()
    }

    /// Runs a passive checkpoint when the writer is free, without blocking the thread.
    ///
    /// - Returns: The number of frames in the log and the number of frames that are now in the
    ///   database file. Both are -1 if the database is not in WAL mode.
    /// - Throws: `DatabaseError`.
    public func passiveCheckpoint() async throws -> (frames: Int, checkpointed: Int) {
        try await database.writeWithoutTransaction { db in
            let result = try db.checkpoint(.passive)
            return (result.walFrameCount, result.checkpointedFrameCount)
        }
    }
}

/// The origin of an access, which is formatted only for a status or an event.
package enum CallSite: Sendable {
    case label(String)
    case place(fileID: StaticString, line: UInt)

    init(_ label: String?, _ fileID: StaticString, _ line: UInt) {
        self = label.map { .label($0) } ?? .place(fileID: fileID, line: line)
    }

    var origin: AccessOrigin {
        switch self {
        case .label(let label): return AccessOrigin(name: label)
        case .place(let fileID, let line):
            let file = "\(fileID)".split(separator: "/").last.map(String.init) ?? "\(fileID)"
            return AccessOrigin(name: "\(file):\(line)")
        }
    }
}

/// An access through a method of ``WatchedDatabase``, from its call to its end.
///
/// The access waits until its closure starts. This includes GRDB's own work, such as `BEGIN`.
package struct WatchedAccess: Sendable {
    package enum Kind: Sendable { case read, write }

    private let site: CallSite
    private let ledger: AccessLedger
    private let calledAt: UInt64
    private let number: UInt64

    package init(_ kind: Kind, at site: CallSite, _ ledger: AccessLedger, isTask: Bool = false) {
        self.site = site
        self.ledger = ledger
        calledAt = monotonicNanoseconds()
        number = ledger.call(kind, at: site, calledAt, isTask: isTask)
    }

    /// The use of a connection by an access.
    package struct Use: Sendable {
        package let probe: GRDBProbe
        fileprivate let waited: UInt64
        fileprivate let busyCount: UInt64
    }

    /// Runs the closure of the access on the connection that GRDB has selected.
    func run<T>(_ body: (Database) throws -> T, _ db: Database) rethrows -> T {
        let use = begin(on: db)
        do {
            let result = try body(db)
            end(use)
            return result
        } catch {
            end(use, failingWith: error)
            throw error
        }
    }

    /// Records the start of the closure on the connection that GRDB has selected.
    ///
    /// - Returns: The use, or `nil` if the connection is not observed.
    package func begin(on db: Database) -> Use? {
        let now = monotonicNanoseconds()
        let waited = now - min(now, calledAt)
        let connection = db.sqliteConnection
        guard let probe = ledger.start(number, on: connection, at: now, waited: waited)
        else { return nil }
        let busyCount = probe.enter(site, on: connection, at: now)
        return Use(probe: probe, waited: waited, busyCount: busyCount)
    }

    /// Records the end of the closure.
    package func end(_ use: Use?) {
        use?.probe.leave(waited: use?.waited ?? 0, failedUpgrade: false)
    }

    /// Records the end of the closure because of an error.
    package func end(_ use: Use?, failingWith error: any Error) {
        guard let use else { return }
        // SQLite does not call the busy handler if a transaction that has read tries to write while
        // another connection writes. See https://sqlite.org/c3ref/busy_handler.html.
        let isBusy = (error as? DatabaseError)?.resultCode == .SQLITE_BUSY
        let isUpgrade = isBusy && use.probe.busyCount == use.busyCount
        use.probe.leave(waited: use.waited, failedUpgrade: isUpgrade)
    }

    /// Ends the wait of an access whose closure did not run.
    package func end() { ledger.end(number) }
}

/// The properties of a database that do not change while it is open.
struct DatabaseIdentity: Sendable {
    /// The configuration's label, or GRDB's name for the type of the database.
    let label: String
    let kind: DatabaseKind
    /// The path of the file, or `nil` for a database in memory.
    let path: String?
    /// The journal mode after opening, or `nil` if it could not be read.
    let journalMode: String?
    /// The maximum number of readers, or `nil` for a queue.
    let maximumReaders: Int?

    init(of database: some DatabaseWriter) {
        let isPool = database is DatabasePool
        let type = isPool ? "GRDB.DatabasePool" : "GRDB.DatabaseQueue"
        label = database.configuration.label ?? type
        kind = isPool ? .pool : .queue
        maximumReaders = isPool ? database.configuration.maximumReaderCount : nil
        let isInMemory = database.path == ":memory:" || database.path.contains("mode=memory")
        path = isInMemory ? nil : database.path
        journalMode = try? database.writeWithoutTransaction { db in
            try String.fetchOne(db, sql: "PRAGMA journal_mode")
        }
    }
}

/// Accesses whose call sites and waits appear in the status.
///
/// The origin of an access is `label`, or the file and line of the call.
extension WatchedDatabase {
    /// Reads a consistent state of the database and blocks the thread, like GRDB's `read`.
    ///
    /// - Throws: The error that `value` throws, and `DatabaseError`.
    public func read<T>(
        as label: String? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ value: (Database) throws -> T
    ) throws -> T {
        let access = WatchedAccess(.read, at: CallSite(label, fileID, line), ledger)
        defer { access.end() }
        return try database.read { db in try access.run(value, db) }
    }

    /// Reads a consistent state of the database without blocking the thread, like GRDB's `read`.
    ///
    /// - Throws: The error that `value` throws, `DatabaseError`, and `CancellationError`.
    public func read<T: Sendable>(
        as label: String? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ value: @Sendable (Database) throws -> T
    ) async throws -> T {
        let site = CallSite(label, fileID, line)
        let access = WatchedAccess(.read, at: site, ledger, isTask: true)
        defer { access.end() }
        return try await database.read { db in try access.run(value, db) }
    }

    /// Runs a write transaction and blocks the thread, like GRDB's `write`.
    ///
    /// - Throws: The error that `updates` throws, and `DatabaseError`.
    public func write<T>(
        as label: String? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ updates: (Database) throws -> T
    ) throws -> T {
        let access = WatchedAccess(.write, at: CallSite(label, fileID, line), ledger)
        defer { access.end() }
        return try database.write { db in try access.run(updates, db) }
    }

    /// Runs a write transaction without blocking the thread, like GRDB's `write`.
    ///
    /// - Throws: The error that `updates` throws, `DatabaseError`, and `CancellationError`.
    public func write<T: Sendable>(
        as label: String? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        let site = CallSite(label, fileID, line)
        let access = WatchedAccess(.write, at: site, ledger, isTask: true)
        defer { access.end() }
        return try await database.write { db in try access.run(updates, db) }
    }

    /// Uses the writing connection without a transaction and blocks the thread, like GRDB's
    /// `writeWithoutTransaction`.
    ///
    /// - Throws: The error that `updates` throws.
    public func writeWithoutTransaction<T>(
        as label: String? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ updates: (Database) throws -> T
    ) rethrows -> T {
        let access = WatchedAccess(.write, at: CallSite(label, fileID, line), ledger)
        defer { access.end() }
        return try database.writeWithoutTransaction { db in try access.run(updates, db) }
    }

    /// Uses the writing connection without a transaction and without blocking the thread, like
    /// GRDB's `writeWithoutTransaction`.
    ///
    /// - Throws: The error that `updates` throws, `DatabaseError`, and `CancellationError`.
    public func writeWithoutTransaction<T: Sendable>(
        as label: String? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ updates: @Sendable (Database) throws -> T
    ) async throws -> T {
        let site = CallSite(label, fileID, line)
        let access = WatchedAccess(.write, at: site, ledger, isTask: true)
        defer { access.end() }
        return try await database.writeWithoutTransaction { db in try access.run(updates, db) }
    }
}
#endif
