import GRDBTarget
import Scenarios
import Telemetry
import WorkloadEngine

/// The numbers of rows that each statement of a run returns.
final class RowCounts: Sendable {
    private struct Entry {
        var executions = 0
        var rows = 0
    }

    private let entries = Lock<[String: Entry]>([:])

    func add(_ sql: String, rows: Int) {
        entries.withLock {
            $0[sql, default: Entry()].executions += 1
            $0[sql, default: Entry()].rows += rows
        }
    }

    /// Returns the mean number of rows for a statement, or `nil` if the statement did not run.
    func mean(of sql: String) -> Double? {
        entries.withLock { $0[sql].map { Double($0.rows) / Double($0.executions) } }
    }
}

/// A factory of targets that count the rows that each statement returns.
struct RowCountingFactory: WorkloadTargetFactory {
    private let counts: RowCounts
    private let libraries = LibraryTargetFactory()
    private let didOpen: @Sendable (String) -> Void

    /// Creates a factory.
    ///
    /// - Parameters:
    ///   - counts: The counts to update.
    ///   - didOpen: A closure that receives the path of each opened database.
    init(_ counts: RowCounts, didOpen: @escaping @Sendable (String) -> Void) {
        self.counts = counts
        self.didOpen = didOpen
    }

    func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget {
        let target = try libraries.open(arm, at: path)
        didOpen(path)
        return RowCountingTarget(target, counts)
    }

    func copyDatabase(
        at source: String,
        to path: String,
        progress: (Double) throws -> Void
    ) throws {
        try libraries.copyDatabase(at: source, to: path, progress: progress)
    }
}

/// A target with sessions that count rows.
private final class RowCountingTarget: WorkloadTarget {
    private let target: any WorkloadTarget
    private let counts: RowCounts

    init(_ target: any WorkloadTarget, _ counts: RowCounts) {
        self.target = target
        self.counts = counts
    }

    func perform(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void
    ) throws {
        try target.perform(access, as: client) { [counts] session in
            try body(RowCountingSession(session: session, counts: counts))
        }
    }

    func supports(_ access: WorkloadAccess) -> Bool { target.supports(access) }
    func check(_ sql: String) throws { try target.check(sql) }
    func makeSnapshot(as client: WorkloadClientName) throws -> any WorkloadSnapshot {
        try target.makeSnapshot(as: client)
    }
    func interrupt() { target.interrupt() }
    func failure(of error: any Error) -> WorkloadFailure { target.failure(of: error) }
    func status() -> DatabaseStatus? { target.status() }
    func restartTimes() { target.restartTimes() }
    func refusals() -> [String: UInt64] { target.refusals() }
    func environment() throws -> [String: String] { try target.environment() }
    func close() throws { try target.close() }
}

private struct RowCountingSession: WorkloadSession {
    let session: any WorkloadSession
    let counts: RowCounts

    func run(_ sql: String, _ values: [WorkloadValue]) throws -> Int {
        let rows = try session.run(sql, values)
        counts.add(sql, rows: rows)
        return rows
    }

    func rows(_ sql: String, _ values: [WorkloadValue]) throws -> [[WorkloadValue]] {
        let rows = try session.rows(sql, values)
        counts.add(sql, rows: rows.count)
        return rows
    }

    func makeInterrupt() -> (@Sendable () -> Void)? { session.makeInterrupt() }
}
