import Foundation
import SQLiteEngine
import Scenarios
import Telemetry
import WorkloadEngine

/// A target that uses a pool and lengthens each access by a known fraction.
final class SlowedTarget: WorkloadTarget {
    private let pool: DatabasePool
    /// The relative slowdown of an access, such as 0.1 for a tenth of its duration.
    private let slowdown: Double

    private struct Session: WorkloadSession {
        let database: Database

        func run(_ sql: String, _ values: [WorkloadValue]) throws -> Int {
            try rows(sql, values).count
        }

        func rows(_ sql: String, _ values: [WorkloadValue]) throws -> [[WorkloadValue]] {
            let arguments = values.map { value -> (any DatabaseValueConvertible)? in
                if case .integer(let number) = value { number } else { nil }
            }
            return try Int64.fetchAll(
                database.cachedStatement(sql: sql),
                arguments: StatementArguments(arguments)
            ).map { [.integer($0)] }
        }
    }

    private struct Unsupported: Error {}

    init(path: String, slowdown: Double) throws {
        pool = try DatabasePool(path: path)
        self.slowdown = slowdown
    }

    func supports(_ access: WorkloadAccess) -> Bool { access != .snapshot }

    func perform(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void
    ) throws {
        let start = DispatchTime.now().uptimeNanoseconds
        switch access {
        case .read: try pool.read { try body(Session(database: $0)) }
        case .write, .snapshot: try pool.write { try body(Session(database: $0)) }
        case .writeWithoutTransaction:
            try pool.writeWithoutTransaction { db in
                // Accesses of this kind create datasets, so their statements return no rows.
                try body(Session(database: db))
            }
        }
        guard slowdown > 0 else { return }
        let end = DispatchTime.now().uptimeNanoseconds
        let deadline = end + UInt64(Double(end - start) * slowdown)
        while DispatchTime.now().uptimeNanoseconds < deadline {}
    }

    func makeSnapshot(as client: WorkloadClientName) throws -> any WorkloadSnapshot {
        throw Unsupported()
    }

    func interrupt() { pool.interrupt() }
    func failure(of error: any Error) -> WorkloadFailure { .error("\(error)") }
    func status() -> DatabaseStatus? { nil }
    func environment() -> [String: String] { [:] }
    func close() throws { try pool.close() }
}

/// A factory that opens `SlowedTarget`s.
///
/// Only the target of the arm `slowed` lengthens its accesses.
struct SlowedFactory: WorkloadTargetFactory {
    let slowdown: Double

    func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget {
        try SlowedTarget(path: path, slowdown: arm.name == "slowed" ? slowdown : 0)
    }
}
