import Dispatch
import Foundation
import GRDBTarget
import Scenarios
import Synchronization
import Telemetry
import Testing
import WorkloadEngine

/// Tests behavior that the arms of all libraries share.
@Suite(.timeLimit(.minutes(1)))
struct LibraryTargetTests {
    private let client = WorkloadClientName("ui")

    private static let libraries = Arm.Library.allCases.filter(LibraryTargetFactory.has)

    private static let arms = libraries.flatMap { library in
        guard library != .raw else {
            return [
                Arm(name: "raw", kind: .pool, library: .raw),
                Arm(name: "raw-delete", kind: .pool, library: .raw, journal: .delete),
            ]
        }
        return [
            Arm(name: "\(library)-queue", kind: .queue, library: library),
            Arm(name: "\(library)-queue-wal", kind: .queue, library: library, journal: .wal),
            Arm(name: "\(library)-pool", kind: .pool, library: library, readers: 2),
            Arm(name: "\(library)-memory", kind: .memory, library: library),
        ]
    }

    /// The arms that report a status.
    private static let watchedArms = arms.filter { $0.library != .raw }

    /// Calls `body` with a target for an arm on a new file, and removes the file afterward.
    private func withTarget(
        _ arm: Arm,
        _ body: (any WorkloadTarget) throws -> Void
    ) throws {
        try withTargetOnNewFile(arm, setup: client, body)
    }

    @Test(arguments: arms)
    func valuesAreReadBackUnchanged(arm: Arm) throws {
        try withTarget(arm) { target in
            let rows: [[WorkloadValue]] = [
                [.null, .text("one"), .integer(.max)],
                [.null, .text(""), .real(1.5)],
                [.null, .null, .blob([0, 1, 255])],
            ]
            try target.perform(.write, as: client) { session in
                for row in rows {
                    try session.run("INSERT INTO item VALUES (:id, :name, :data)", row)
                }
            }
            var read: [[WorkloadValue]] = []
            try target.perform(.read, as: client) { session in
                read = try session.rows("SELECT name, data FROM item ORDER BY id", [])
            }
            #expect(read == rows.map { Array($0.dropFirst()) })
        }
    }

    @Test(arguments: arms)
    func statementsAreCheckedWithoutRunning(arm: Arm) throws {
        try withTarget(arm) { target in
            try target.check("INSERT INTO item VALUES (:id, :name, :data)")
            let error = #expect(throws: (any Error).self) {
                try target.check("SELECT * FROM nosuch")
            }
            #expect(error.map { String(describing: $0) }?.contains("no such table") == true)
            try target.perform(.read, as: client) { session in
                let count = try session.run("SELECT * FROM item", [])
                #expect(count == 0)
            }
        }
    }

    @Test(arguments: arms)
    func parametersAreBoundInOrderOfFirstAppearance(arm: Arm) throws {
        try withTarget(arm) { target in
            try target.perform(.read, as: client) { session in
                let rows = try session.rows(
                    "SELECT :b, :a, :b",
                    [.integer(1), .integer(2)]
                )
                #expect(rows == [[.integer(1), .integer(2), .integer(1)]])
            }
        }
    }

    @Test(arguments: arms)
    func aStatementReturnsItsRowCount(arm: Arm) throws {
        try withTarget(arm) { target in
            try target.perform(.write, as: client) { session in
                let key = try session.run("INSERT INTO item (id) VALUES (1), (2), (3)", [])
                #expect(key == 0)
                let count = try session.run(
                    "SELECT NULL FROM item WHERE id > ?",
                    [.integer(1)]
                )
                #expect(count == 2)
            }
        }
    }

    @Test(arguments: arms)
    func aWriteThatThrowsIsRolledBack(arm: Arm) throws {
        struct Refused: Error {}
        try withTarget(arm) { target in
            #expect(throws: Refused.self) {
                try target.perform(.write, as: client) { session in
                    try session.run("INSERT INTO item (id) VALUES (1)", [])
                    throw Refused()
                }
            }
            try target.perform(.read, as: client) { session in
                let count = try session.run("SELECT * FROM item", [])
                #expect(count == 0)
            }
        }
    }

    @Test(arguments: arms)
    func failuresContainTheNameOfTheirCode(arm: Arm) throws {
        try withTarget(arm) { target in
            let error = #expect(throws: (any Error).self) {
                try target.perform(.write, as: client) { session in
                    try session.run("INSERT INTO item (id) VALUES (1), (1)", [])
                }
            }
            let failure = target.failure(of: try #require(error))
            #expect(failure == .error("SQLITE_CONSTRAINT_PRIMARYKEY"))
            #expect(target.failure(of: CancellationError()) == .error("CancellationError"))
        }
    }

    @Test(arguments: watchedArms.filter { $0.kind == .pool })
    func aSnapshotKeepsItsState(arm: Arm) throws {
        try withTarget(arm) { target in
            #expect(target.supports(.snapshot))
            let snapshot = try target.makeSnapshot(as: WorkloadClientName("report"))
            try target.perform(.write, as: client) { session in
                try session.run("INSERT INTO item (id) VALUES (1)", [])
            }
            try snapshot.read { session in
                let count = try session.run("SELECT * FROM item", [])
                #expect(count == 0)
            }
            #expect(target.status()?.snapshots.map(\.origin?.name) == ["report"])
            #expect(target.status()?.snapshotsMade == 1)
            snapshot.release()
            #expect(target.status()?.snapshots.isEmpty == true)
            #expect(target.status()?.connections.allSatisfy { $0.role != .snapshot } == true)
        }
    }

    @Test(arguments: watchedArms.filter { $0.kind == .queue })
    func aQueueReportsThatItHasNoSnapshots(arm: Arm) throws {
        try withTarget(arm) { target in
            #expect(!target.supports(.snapshot))
            let error = #expect(throws: (any Error).self) {
                _ = try target.makeSnapshot(as: client)
            }
            #expect(String(describing: error).contains("pool"))
        }
    }

    @Test(arguments: watchedArms)
    func aReadCannotWrite(arm: Arm) throws {
        try withTarget(arm) { target in
            #expect(throws: (any Error).self) {
                try target.perform(.read, as: client) { session in
                    try session.run("INSERT INTO item (id) VALUES (1)", [])
                }
            }
            try target.perform(.read, as: client) { session in
                let count = try session.run("SELECT * FROM item", [])
                #expect(count == 0)
            }
        }
    }

    /// Returns a statement that fails unless `id` is the largest identifier.
    private func newest(_ id: Int64) -> BoundStatement {
        BoundStatement(
            sql:
                "SELECT CASE max(id) WHEN ? THEN 1 ELSE abs(-9223372036854775807 - 1) END FROM item",
            values: [.integer(id)]
        )
    }

    /// Waits until no connection is held, and returns the status.
    ///
    /// A concurrent read ends shortly after its result is used.
    private func statusAtRest(of target: any WorkloadTarget) throws -> DatabaseStatus {
        let deadline = monotonicNanoseconds() + 20_000_000_000
        while true {
            let status = try #require(target.status())
            let isAtRest = status.connections.allSatisfy { $0.holder == nil && $0.state == .idle }
            if isAtRest || monotonicNanoseconds() > deadline { return status }
            sched_yield()
        }
    }

    @Test(arguments: watchedArms)
    func aReadAfterAWriteObservesThatWriteAndNoLaterOne(arm: Arm) throws {
        try withTarget(arm) { target in
            #expect(target.has(.concurrentReads))
            let last = Atomic<Int64>(0)
            let failures = Lock<[String]>([])
            let writer = WorkloadClientName("pay")
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                for _ in 0..<25 {
                    var key: Int64 = 0
                    do {
                        try target.performWrite(as: writer) { session in
                            key = last.add(1, ordering: .relaxed).newValue
                            try session.run("INSERT INTO item (id) VALUES (?)", [.integer(key)])
                        } thenReading: {
                            [newest(key)]
                        }
                    } catch {
                        failures.withLock { $0.append("\(key): \(error)") }
                    }
                }
            }
            #expect(failures.withLock { $0 } == [])
            try target.perform(.read, as: client) { session in
                let count = try session.run("SELECT * FROM item", [])
                #expect(count == 100)
            }
            let status = try statusAtRest(of: target)
            #expect(status.connections.allSatisfy { $0.holder == nil })
            #expect(status.waitingReaders.isEmpty && status.waitingWriters.isEmpty)
        }
    }

    @Test(arguments: watchedArms)
    func aFailedReadAfterAWriteThrowsAndKeepsTheWrite(arm: Arm) throws {
        try withTarget(arm) { target in
            let error = #expect(throws: (any Error).self) {
                try target.performWrite(as: client) { session in
                    try session.run("INSERT INTO item (id) VALUES (1)", [])
                } thenReading: {
                    [newest(2)]
                }
            }
            #expect(target.failure(of: try #require(error)) == .error("SQLITE_ERROR"))
            let status = try statusAtRest(of: target)
            #expect(status.connections.allSatisfy { $0.holder == nil && $0.state == .idle })
            #expect(status.waitingReaders.isEmpty && status.waitingWriters.isEmpty)
            try target.perform(.read, as: client) { session in
                let count = try session.run("SELECT * FROM item", [])
                #expect(count == 1)
            }
        }
    }

    @Test(arguments: watchedArms)
    func nothingIsReadAfterAWriteThatThrows(arm: Arm) throws {
        struct Refused: Error {}
        try withTarget(arm) { target in
            var hasRead = false
            #expect(throws: Refused.self) {
                try target.performWrite(as: client) { session in
                    try session.run("INSERT INTO item (id) VALUES (1)", [])
                    throw Refused()
                } thenReading: {
                    hasRead = true
                    return []
                }
            }
            #expect(!hasRead)
            try target.perform(.read, as: client) { session in
                let count = try session.run("SELECT * FROM item", [])
                #expect(count == 0)
            }
        }
    }
}
