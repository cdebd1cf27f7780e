import Dispatch
import Foundation
import SQLiteEngine
import Scenarios
import Telemetry
import WorkloadEngine

// A program with its own target, which reads through a `DatabasePool`. The environment variable
// SLOWDOWN sets the fraction by which each access is prolonged, to simulate a slower build of the
// program.

/// The program's target.
final class StoreTarget: WorkloadTarget {
    private let pool: DatabasePool
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

    func supports(_ access: WorkloadAccess) -> Bool { access == .read }

    func perform(
        _ access: WorkloadAccess,
        as client: WorkloadClientName,
        _ body: (any WorkloadSession) throws -> Void
    ) throws {
        let start = DispatchTime.now().uptimeNanoseconds
        try pool.read { try body(Session(database: $0)) }
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

/// A factory that opens the program's target.
struct StoreFactory: WorkloadTargetFactory {
    func open(_ arm: Arm, at path: String) throws -> any WorkloadTarget {
        let slowdown = ProcessInfo.processInfo.environment["SLOWDOWN"].flatMap { Double($0) }
        return try StoreTarget(path: path, slowdown: slowdown ?? 0)
    }
}

// sample
try DriverServer(factory: StoreFactory(), runtime: "store 1.2").serve()
// end
