import Capture
import EngineTarget
import Foundation
import Scenarios
import Telemetry
import WorkloadEngine

/// A target that logs its statements like a traced program.
final class LoggingTarget: WorkloadTarget {
    private let inner: any WorkloadTarget
    private let log: ExecutionLog

    init(_ inner: any WorkloadTarget, log: ExecutionLog) {
        self.inner = inner
        self.log = log
    }

    func supports(_ access: WorkloadAccess) -> Bool { inner.supports(access) }
    func has(_ capability: WorkloadAbility) -> Bool { inner.has(capability) }
    func check(_ sql: String) throws { try inner.check(sql) }
    func makeSnapshot(as client: WorkloadClientName) throws -> any WorkloadSnapshot {
        try inner.makeSnapshot(as: client)
    }
    func interrupt() { inner.interrupt() }
    func failure(of error: any Error) -> WorkloadFailure { inner.failure(of: error) }
    func status() -> DatabaseStatus? { nil }
    func environment() throws -> [String: String] { try inner.environment() }
    func close() throws { try inner.close() }

    func perform(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void
    ) throws {
        // Ignore accesses by the run itself, which are not part of the load.
        let isLoad = ["reader", "payer"].contains(client.name)
        let start = log.now()
        var last = start
        try inner.perform(access, as: client) { session in
            if isLoad { log.add(access == .read ? "BEGIN" : "BEGIN IMMEDIATE", from: start) }
            try body(isLoad ? LoggingSession(inner: session, log: log) : session)
            last = log.now()
        }
        if isLoad { log.add("COMMIT", from: last) }
    }
}

/// A session that logs each statement.
struct LoggingSession: WorkloadSession {
    let inner: any WorkloadSession
    let log: ExecutionLog

    func run(_ sql: String, _ values: [WorkloadValue]) throws -> Int {
        let start = log.now()
        let count = try inner.run(sql, values)
        log.add(sql, from: start, rows: count, values: values)
        return count
    }

    func rows(_ sql: String, _ values: [WorkloadValue]) throws -> [[WorkloadValue]] {
        let start = log.now()
        let rows = try inner.rows(sql, values)
        log.add(sql, from: start, rows: rows.count, values: values)
        return rows
    }
}

/// A log of executions in the order in which they ended.
///
/// Each thread uses a separate connection.
final class ExecutionLog: Sendable {
    private let entries = Lock<[CapturedExecution]>([])

    func now() -> Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

    func add(_ sql: String, from start: Double, rows: Int? = nil, values: [WorkloadValue] = []) {
        let end = now()
        let execution = CapturedExecution(
            end: end,
            connection: "\(pthread_self())",
            sql: sql,
            seconds: end - start,
            rows: rows,
            values: values
        )
        entries.withLock { $0.append(execution) }
    }

    var executions: [CapturedExecution] { entries.withLock { $0 }.sorted { $0.end < $1.end } }
}

/// A factory that opens arms with ``EngineTargetFactory`` and logs their statements.
struct LoggingFactory: WorkloadTargetFactory {
    let log: ExecutionLog

    func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget {
        LoggingTarget(try EngineTargetFactory().open(arm, at: path), log: log)
    }
}
