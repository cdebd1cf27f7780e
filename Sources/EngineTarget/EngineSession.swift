import CSQLite
import SQLiteEngine
import Telemetry
import WorkloadEngine

/// A connection of the engine inside an access.
struct EngineSession: WorkloadSession {
    let database: Database
    // Unsafe, because the target outlives its accesses, and a counted reference would cost each
    // access two atomic operations.
    unowned(unsafe) let target: EngineTarget

    /// Runs a statement that the connection keeps prepared, and counts its rows.
    @discardableResult
    func run(_ sql: String, _ values: [WorkloadValue]) throws -> Int {
        try RowPresence.fetchAll(
            database.cachedStatement(sql: sql),
            arguments: StatementArguments(values)
        ).count
    }

    /// The first call counts as a call of the database's `interrupt()`; later calls repeat it.
    func makeInterrupt() -> (@Sendable () -> Void)? {
        // The access keeps the connection open, and the closure is not called afterwards.
        nonisolated(unsafe) let connection = database.handle
        let isSent = Lock(false)
        return { [target, label = database.label] in
            let isRepeat = isSent.withLock { isSent in
                defer { isSent = true }
                return isSent
            }
            // The target does not contain connections of snapshots.
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

/// A snapshot of the engine that a client holds.
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
        // Closing fails only while a statement is alive, and no statement outlives an access.
        try? snapshot.close()
    }
}
