import CSQLite
import SQLiteEngine
import Telemetry
import WorkloadEngine

/// An access's connection to an engine database.
struct EngineSession: WorkloadSession {
    let database: Database
    // Unowned is safe because the target outlives its accesses. A strong reference would add two
    // atomic operations to each access.
    unowned(unsafe) let target: EngineTarget

    /// Runs a cached statement and returns the number of rows.
    @discardableResult
    func run(_ sql: String, _ values: [WorkloadValue]) throws -> Int {
        try RowPresence.fetchAll(
            database.cachedStatement(sql: sql),
            arguments: StatementArguments(values)
        ).count
    }

    /// Returns a closure that interrupts this connection's statement.
    ///
    /// Only the first call of the closure counts as a call to the database's `interrupt()`. Later
    /// calls repeat the interrupt without counting it.
    func makeInterrupt() -> (@Sendable () -> Void)? {
        // The access keeps the connection open. The closure is not called after the access.
        nonisolated(unsafe) let connection = database.handle
        let isSent = Lock(false)
        return { [target, label = database.label] in
            let isRepeat = isSent.withLock { isSent in
                defer { isSent = true }
                return isSent
            }
            // Snapshot connections do not belong to the target.
            if isRepeat || !target.interrupt(connection: label) { sqlite3_interrupt(connection) }
        }
    }

    func rows(_ sql: String, _ values: [WorkloadValue]) throws -> [[WorkloadValue]] {
        try WholeRow.fetchAll(
            database.cachedStatement(sql: sql),
            arguments: StatementArguments(values)
        ).map(\.values)
    }
}

final class EngineSnapshot: WorkloadSnapshot {
    private let snapshot: DatabaseSnapshot
    private let label: AccessLabel
    private let target: EngineTarget

    init(_ snapshot: DatabaseSnapshot, label: AccessLabel, target: EngineTarget) {
        self.snapshot = snapshot
        self.label = label
        self.target = target
    }

    func read(_ body: (any WorkloadSession) throws -> Void) throws {
        try snapshot.read(as: label) { try body(EngineSession(database: $0, target: target)) }
    }

    func release() {
        // Ignore errors: closing fails only if a statement exists, and no statement outlives its
        // access.
        try? snapshot.close()
    }
}
