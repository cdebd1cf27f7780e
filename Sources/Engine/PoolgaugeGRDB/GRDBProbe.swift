#if GRDB
import GRDB
import GRDBSQLite
import Synchronization
import Telemetry

/// An observer of one connection.
///
/// The thread that uses the connection reports statements, locks, and accesses. Any thread can
/// request the status, which does not call SQLite.
package final class GRDBProbe: Sendable {
    private struct State {
        var activity: ConnectionActivity
        /// The connection while an access uses it.
        var connection: OpaquePointer?
        /// The access that took the snapshot of the connection, if known.
        var owner: CallSite?
        /// Whether GRDB has not yet executed the first statement, which checks the file's format.
        var isOpening: Bool
        var isWaitingForLock = false
        var busyCount: UInt64 = 0
        var busyWaitNanoseconds: UInt64 = 0
    }

    let label: String
    let role: ConnectionRole
    let openedAt = monotonicNanoseconds()
    private let retry: LockRetry
    private let ledger: AccessLedger
    // The lock makes it safe to share the connection's pointer. The pointer is used only while the
    // lock is held, and removed before the access ends.
    private let state: Lock<State>
    /// Whether a statement that the access reports is running.
    private let isReporting = Atomic<Bool>(false)

    init(_ db: Database, retry: LockRetry, _ ledger: AccessLedger) {
        label = db.description
        role = Self.role(of: db)
        self.retry = retry
        self.ledger = ledger
        let isTraced = ledger.tracesStatements
        state = Lock(
            State(
                activity: ConnectionActivity(role: role),
                // Only the trace function reports the end of the first statement.
                isOpening: isTraced
            )
        )
    }

    /// Returns the role of a connection, which GRDB publishes only in its description.
    private static func role(of db: Database) -> ConnectionRole {
        let parts = db.description.split(separator: ".")
        if parts.last == "writer" { return .writer }
        switch parts.dropLast().last {
        case "reader": return .reader
        case "snapshot": return .snapshot
        default: return .queue
        }
    }

    // MARK: Statements

    func statementDidStart(_ statement: OpaquePointer, sql: UnsafePointer<CChar>) {
        guard ledger.isObserving else { return }
        let isReadOnly = sqlite3_stmt_readonly(statement) != 0
        let now = monotonicNanoseconds()
        let change = state.withLock { state -> ConnectionActivity.Change? in
            guard !state.isOpening else { return nil }
            return state.activity.statementDidStart(
                UInt(bitPattern: statement),
                text: sql,
                isReadOnly: isReadOnly,
                at: now
            )
        }
        ledger.didChange(change, role: role, at: now)
    }

    func statementDidEnd(_ statement: OpaquePointer) {
        guard ledger.isObserving else { return }
        let connection = sqlite3_db_handle(statement)
        let isInTransaction = sqlite3_get_autocommit(connection) == 0
        let transaction: TransactionState =
            switch sqlite3_txn_state(connection, nil) {
            case SQLITE_TXN_WRITE: .write
            case SQLITE_TXN_READ: .read
            default: .none
            }
        let now = monotonicNanoseconds()
        let (ended, change) = state.withLock { state in
            state.isOpening = false
            return state.activity.statementDidEnd(
                UInt(bitPattern: statement),
                isInTransaction: isInTransaction,
                transaction: transaction,
                at: now
            )
        }
        switch ended {
        case .statement(let duration): ledger.statements.record(duration)
        case .commit(let duration): ledger.commits.record(duration)
        case nil: break
        }
        ledger.didChange(change, role: role, at: now)
    }

    // MARK: Accesses

    /// Records the start of an access's closure.
    ///
    /// - Returns: The number of locks that the connection has encountered.
    func enter(_ site: CallSite, on connection: OpaquePointer?, at now: UInt64) -> UInt64 {
        let (change, busyCount) = state.withLock { state in
            state.connection = connection
            return (state.activity.accessDidStart(site, at: now), state.busyCount)
        }
        if ledger.tracesStatements { ledger.didChange(change, role: role, at: now) }
        return busyCount
    }

    /// Records the end of an access's closure.
    ///
    /// - Parameters:
    ///   - waited: How long the access waited for the connection, in nanoseconds.
    ///   - failedUpgrade: Whether the closure failed because of a lock without a call to the busy
    ///     handler.
    func leave(waited: UInt64, failedUpgrade: Bool) {
        let now = monotonicNanoseconds()
        let (site, held, change) = state.withLock { state in
            if failedUpgrade { state.busyCount += 1 }
            state.connection = nil
            // Copy the site only if someone needs it.
            let site = failedUpgrade || ledger.listeners.isActive ? state.activity.access : nil
            let (held, change) = state.activity.accessDidEnd(at: now)
            return (site, held, change)
        }
        if failedUpgrade {
            ledger.didEncounterLock()
            ledger.listeners.emit(label, .busy(by: site?.origin))
        }
        ledger.didChange(change, role: role, at: now)
        if let site {
            ledger.listeners.emit(label, .slowAccess(by: site.origin, waited: waited, held: held))
        }
    }

    // MARK: Statements without the trace function

    /// Records the start of a statement.
    package func statementDidStart(_ sql: String) {
        state.withLock { $0.activity.reported.start(sql) }
        isReporting.store(true, ordering: .relaxed)
    }

    /// Records the end of the statement.
    package func statementDidEnd() { isReporting.store(false, ordering: .relaxed) }

    /// Records the end of the statement because of an error.
    package func statementDidEnd(with error: any Error) {
        let isInterrupted = (error as? DatabaseError)?.resultCode == .SQLITE_INTERRUPT
        if isInterrupted { ledger.interrupts.countDelivery() }
        isReporting.store(false, ordering: .relaxed)
        if isInterrupted { state.withLock { $0.activity.reported.interruptCount += 1 } }
    }

    /// Interrupts the running statement (<https://sqlite.org/c3ref/interrupt.html>).
    ///
    /// - Parameter isCounted: Whether this is a new request rather than a repetition.
    package func interrupt(isCounted: Bool = true) {
        state.withLock { state in
            if isCounted {
                ledger.interrupts.countRequest(withEffect: isReporting.load(ordering: .relaxed))
            }
            if let connection = state.connection { sqlite3_interrupt(connection) }
        }
    }

    // MARK: Locks of other connections

    var busyCount: UInt64 { state.withLock { $0.busyCount } }

    /// Pauses before the next attempt to acquire another connection's lock.
    ///
    /// - Parameter tries: The number of previous calls for the same lock.
    /// - Returns: Whether to retry.
    func encounterLock(tries: Int) -> Bool {
        let start = monotonicNanoseconds()
        let site = state.withLock { state in
            if tries == 0 { state.busyCount += 1 }
            state.isWaitingForLock = true
            return state.activity.access
        }
        if tries == 0 {
            ledger.didEncounterLock()
            ledger.listeners.emit(label, .busy(by: site?.origin))
        }
        let shouldRetry = retry.pause(tries: tries)
        let waited = monotonicNanoseconds() - start
        state.withLock { state in
            state.isWaitingForLock = false
            state.busyWaitNanoseconds += waited
        }
        ledger.didWaitForLock(waited)
        return shouldRetry
    }

    // MARK: Opening and closing

    /// Starts the observation of a connection that was opened before ``AccessLedger/isObserving``
    /// became `true`.
    func finishOpening() { state.withLock { $0.isOpening = false } }

    func didClose() { ledger.remove(self) }

    /// Records which access took the snapshot of the connection.
    func didTakeSnapshot(_ site: CallSite) { state.withLock { $0.owner = site } }

    var owner: AccessOrigin? { state.withLock { $0.owner }?.origin }

    // MARK: Status

    var isRunningStatement: Bool {
        isReporting.load(ordering: .relaxed) || state.withLock { $0.activity.isRunningStatement }
    }

    func status(at now: UInt64) -> ConnectionStatus {
        state.withLock { state in
            var status =
                ledger.tracesStatements
                ? state.activity.status(label: label, at: now)
                : state.activity.reportedStatus(
                    label: label,
                    isRunning: isReporting.load(ordering: .relaxed),
                    at: now
                )
            if state.isOpening { status.state = .opening }
            if state.isWaitingForLock { status.state = .waitingForLock }
            status.busyCount = state.busyCount
            status.busyWaitNanoseconds = state.busyWaitNanoseconds
            return status
        }
    }
}

/// The behavior that GRDB configured for locks held by other connections.
enum LockRetry: Sendable {
    case never
    /// Retries until the timeout, in seconds, with SQLite's pauses.
    case timeout(Double)
    case callback(Database.BusyCallback)

    /// Reads the behavior of the busy handler that GRDB has installed.
    ///
    /// GRDB does not publish the timeout of a pool's readers, but SQLite reports every timeout. It
    /// reports 0 for a callback.
    init(of db: Database) throws {
        let milliseconds = try Int.fetchOne(db, sql: "PRAGMA busy_timeout") ?? 0
        if milliseconds > 0 {
            self = .timeout(Double(milliseconds) / 1_000)
        } else if case .callback(let callback) = db.configuration.busyMode {
            self = .callback(callback)
        } else {
            self = .never
        }
    }

    /// Pauses before the next attempt.
    ///
    /// - Parameter tries: The number of previous calls for the same lock.
    /// - Returns: Whether to retry.
    func pause(tries: Int) -> Bool {
        switch self {
        case .never: return false
        case .callback(let callback): return callback(tries)
        case .timeout(let seconds):
            guard let pause = BusyBackoff.pause(tries: tries, timeout: seconds) else {
                return false
            }
            sqlite3_sleep(CInt(pause))
            return true
        }
    }
}
#endif
