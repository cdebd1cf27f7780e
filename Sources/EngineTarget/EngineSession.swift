import SQLiteEngine
import WorkloadEngine

/// A connection of the engine inside an access.
struct EngineSession: WorkloadSession {
    let database: Database

    /// Runs a statement that the connection keeps prepared, and counts its rows.
    @discardableResult
    func run(_ sql: String, _ values: [WorkloadValue]) throws -> Int {
        try RowPresence.fetchAll(
            database.cachedStatement(sql: sql),
            arguments: StatementArguments(values)
        ).count
    }

    func rows(_ sql: String, _ values: [WorkloadValue]) throws -> [[WorkloadValue]] {
        try WholeRow.fetchAll(
            database.cachedStatement(sql: sql),
            arguments: StatementArguments(values)
        ).map(\.values)
    }
}

/// A snapshot of the engine's that a client holds.
final class EngineSnapshot: WorkloadSnapshot {
    private let snapshot: DatabaseSnapshot
    private let label: AccessLabel

    init(_ snapshot: DatabaseSnapshot, label: AccessLabel) {
        self.snapshot = snapshot
        self.label = label
    }

    func read(_ body: (any WorkloadSession) throws -> Void) throws {
        try snapshot.read(as: label) { try body(EngineSession(database: $0)) }
    }

    func release() {
        // It fails only while a statement is alive, and none outlives an access.
        try? snapshot.close()
    }
}
