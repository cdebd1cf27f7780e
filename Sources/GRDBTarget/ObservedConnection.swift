#if GRDB
import CSQLite
import GRDB
import Telemetry

/// A GRDB connection, as observed from the closures that run on it.
///
/// GRDB's work before and after a closure (`BEGIN`, `COMMIT`, and queueing) is not visible.
final class ObservedConnection: Sendable {
    private struct State {
        var connection: OpaquePointer?
        var holder: String?
        var heldSince: UInt64 = 0
        var accessCount: UInt64 = 0
        var busyCount: UInt64 = 0
        var interruptCount: UInt64 = 0
        var sql: String?
        var isRunning = false
        /// The number of statements, which distinguishes successive statements.
        var statementCount: UInt64 = 0
        /// The value of `statementCount` in the last status with a running statement.
        var observedStatement: UInt64 = 0
        /// The time of the first status with the running statement, in nanoseconds.
        var observedSince: UInt64 = 0
    }

    let label: String
    let role: ConnectionRole
    private let interrupts: InterruptTally
    // The lock makes it safe to share the pointer. The pointer is used only while the lock is held,
    // and removed before the connection is released.
    private let state = Lock(State())

    init(_ label: String, _ role: ConnectionRole, _ interrupts: InterruptTally) {
        self.label = label
        self.role = role
        self.interrupts = interrupts
    }

    /// Records the start of an access's closure.
    func enter(_ database: Database, by holder: String, at now: UInt64) {
        let connection = database.sqliteConnection
        state.withLock { state in
            state.connection = connection
            state.holder = holder
            state.heldSince = now
            state.accessCount += 1
        }
    }

    /// Records the end of an access's closure.
    func leave() {
        state.withLock { state in
            state.connection = nil
            state.holder = nil
            state.sql = nil
        }
    }

    /// Runs a closure that executes a statement, and records the statement and its outcome.
    func watching<Result>(_ sql: String, _ body: () throws -> Result) throws -> Result {
        state.withLock { state in
            state.sql = sql
            state.isRunning = true
            state.statementCount += 1
        }
        do {
            let result = try body()
            state.withLock { $0.isRunning = false }
            return result
        } catch {
            let code = (error as? DatabaseError)?.resultCode
            if code == .SQLITE_INTERRUPT { interrupts.countDelivery() }
            state.withLock { state in
                state.isRunning = false
                if code == .SQLITE_INTERRUPT { state.interruptCount += 1 }
                if code == .SQLITE_BUSY || code == .SQLITE_LOCKED { state.busyCount += 1 }
            }
            throw error
        }
    }

    var isRunning: Bool { state.withLock { $0.isRunning } }

    /// Interrupts the running statement (<https://sqlite.org/c3ref/interrupt.html>).
    ///
    /// - Parameter isCounted: Whether this is a new request rather than a repetition.
    /// - Returns: Whether a closure is running on this connection.
    func interrupt(isCounted: Bool = true) -> Bool {
        state.withLock { state in
            if isCounted { interrupts.countRequest(withEffect: state.isRunning) }
            guard let connection = state.connection else { return false }
            sqlite3_interrupt(connection)
            return true
        }
    }

    func status(at now: UInt64) -> ConnectionStatus {
        state.withLock { state in
            if state.isRunning, state.observedStatement != state.statementCount {
                state.observedStatement = state.statementCount
                state.observedSince = now
            }
            let isHeld = state.holder != nil
            return ConnectionStatus(
                label: label,
                role: role,
                state: !isHeld ? .idle : state.isRunning ? .statement : .closure,
                accessCount: state.accessCount,
                holder: state.holder.map(AccessOrigin.init(name:)),
                heldNanoseconds: isHeld ? now - min(now, state.heldSince) : nil,
                sql: state.sql,
                sqlNanoseconds: state.isRunning ? now - min(now, state.observedSince) : nil,
                busyCount: state.busyCount,
                interruptCount: state.interruptCount
            )
        }
    }
}

/// The requests and outcomes of interrupts, as observed by closures.
final class InterruptTally: Sendable {
    private struct State {
        var status = InterruptStatus()
        var lastRequest: UInt64?
    }

    private let state = Lock(State())
    private let latencies = AtomicHistogram()

    /// Counts a request.
    ///
    /// - Parameter withEffect: Whether a statement is running.
    func countRequest(withEffect: Bool) {
        let now = monotonicNanoseconds()
        state.withLock { state in
            state.status.requested += 1
            state.lastRequest = now
            if !withEffect { state.status.withoutEffect += 1 }
        }
    }

    /// Counts a statement that ended with `SQLITE_INTERRUPT`.
    func countDelivery() {
        let now = monotonicNanoseconds()
        let request = state.withLock { state in
            state.status.delivered += 1
            return state.lastRequest
        }
        if let request { latencies.record(now - min(now, request)) }
    }

    var status: InterruptStatus {
        var status = state.withLock { $0.status }
        status.latency = AtomicHistogram.summary(of: [latencies])
        return status
    }
}
#endif
