import EngineTarget
import Foundation
import Scenarios
import Telemetry
import Testing
import WorkloadEngine

@Suite(.timeLimit(.minutes(1)))
struct EngineTargetTests {
    private let client = WorkloadClientName("ui")

    /// Calls `body` with a target for an arm on a new file, and removes the file afterward.
    private func withTarget(
        _ arm: Arm,
        _ body: (any WorkloadTarget) throws -> Void
    ) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("poolgauge-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let target = try EngineTargetFactory()
            .open(arm, at: folder.appendingPathComponent("test.sqlite").path)
        try target.perform(.write, as: client) { session in
            try session.run("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, data)", [])
        }
        do { try body(target) } catch {
            try? target.close()
            throw error
        }
        try target.close()
    }

    private static let arms = [
        Arm(name: "queue", kind: .queue),
        Arm(name: "queue-wal", kind: .queue, journal: .wal),
        Arm(name: "pool", kind: .pool, readers: 2),
        Arm(name: "memory", kind: .memory),
    ]

    @Test(arguments: arms)
    func holdersAreIdentifiedByClient(arm: Arm) throws {
        try withTarget(arm) { target in
            try target.perform(.read, as: WorkloadClientName("report")) { _ in
                let holders = target.status()?.connections.compactMap(\.holder?.name)
                #expect(holders == ["report"])
            }
        }
    }

    @Test(arguments: [arms[1], Arm(name: "raw", kind: .queue, library: .raw, journal: .wal)])
    func operationsAreProfiledAndRolledBack(arm: Arm) throws {
        try withTarget(arm) { target in
            let insert = BoundStatement(
                sql: "INSERT INTO item(name) VALUES (?)",
                values: [.text("a")]
            )
            try target.perform(.write, as: client) { try $0.run(insert.sql, insert.values) }
            let update = BoundStatement(
                sql: "UPDATE item SET name = ? WHERE name = ?",
                values: [.text("b"), .text("a")]
            )
            let write = try #require(try target.profile([update], in: .write, running: true))
            #expect(write.counters?.vmSteps ?? 0 > 0)
            let query = BoundStatement(
                sql: "SELECT * FROM item WHERE name = ?",
                values: [.text("a")]
            )
            let read = try #require(try target.profile([query], in: .read, running: true))
            #expect(read.plans.map(\.lines) == [["SCAN item"]])
            // The update was rolled back.
            #expect(read.counters?.rows == 1)
        }
    }

    @Test(arguments: arms)
    func interruptsAreADistinctFailure(arm: Arm) throws {
        let endless = """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
            SELECT i FROM n WHERE i < 0
            """
        try withTarget(arm) { target in
            let hasEnded = Lock(false)
            let watchEnded = DispatchSemaphore(value: 0)
            let watcher = Thread {
                // Repeat the interrupt, because the first one may arrive before the statement.
                while target.status()?.interrupts?.delivered == 0, !hasEnded.withLock({ $0 }) {
                    target.interrupt()
                }
                watchEnded.signal()
            }
            watcher.start()
            let error = #expect(throws: (any Error).self) {
                try target.perform(.read, as: client) { try $0.run(endless, []) }
            }
            hasEnded.withLock { $0 = true }
            // Wait for the access to end before the target is closed.
            watchEnded.wait()
            let thrown = try #require(error)
            #expect(target.failure(of: thrown) == .interrupted)
        }
    }

    @Test
    func aLockedDatabaseIsBusy() throws {
        try withTarget(Arm(name: "queue", kind: .queue)) { target in
            let path = try #require(target.status()?.path)
            let other = try EngineTargetFactory().open(Arm(name: "other", kind: .queue), at: path)
            try target.perform(.write, as: client) { _ in
                let error = #expect(throws: (any Error).self) {
                    try other.perform(.write, as: client) { _ in }
                }
                let thrown = try #require(error)
                #expect(other.failure(of: thrown) == .busy("SQLITE_BUSY"))
            }
            try other.close()
        }
    }

    @Test
    func theEnvironmentReportsTheEffectiveSettings() throws {
        let pool = Arm(
            name: "pool",
            kind: .pool,
            synchronous: "full",
            pragmas: [Arm.Pragma(name: "cache_size", value: "-4000")]
        )
        try withTarget(pool) { target in
            let environment = try target.environment()
            #expect(environment["journal_mode"] == "wal")
            #expect(environment["synchronous"] == "full")
            #expect(environment["cache_size"] == "-4000")
        }
        try withTarget(Arm(name: "queue", kind: .queue)) { target in
            let environment = try target.environment()
            #expect(environment["journal_mode"] == "delete")
            #expect(environment["synchronous"] == "full")
            #expect(environment["sqlite_version"]?.hasPrefix("3.") == true)
        }
    }

    @Test
    func theArmLimitsTheReaders() throws {
        try withTarget(Arm(name: "pool", kind: .pool, readers: 3)) { target in
            #expect(target.status()?.readers?.maximum == 3)
        }
    }

    @Test
    func anInvalidPragmaIsReported() {
        let arm = Arm(
            name: "queue",
            kind: .queue,
            pragmas: [Arm.Pragma(name: "cache_size)", value: "1")]
        )
        let error = #expect(throws: (any Error).self) {
            try withTarget(arm) { _ in }
        }
        #expect("\(String(describing: error))".contains("cache_size)"))
    }
}
