#if GRDB
import Foundation
import GRDBTarget
import Scenarios
import Synchronization
import Telemetry
import Testing
import WorkloadEngine

@Suite(.timeLimit(.minutes(1)))
struct GRDBTargetTests {
    private let client = WorkloadClientName("ui")

    private static let arms = [
        Arm(name: "queue", kind: .queue, library: .grdb),
        Arm(name: "queue-wal", kind: .queue, library: .grdb, journal: .wal),
        Arm(name: "pool", kind: .pool, library: .grdb, readers: 2),
        Arm(name: "memory", kind: .memory, library: .grdb),
    ]
    private static let pool = Arm(name: "pool", kind: .pool, library: .grdb, readers: 2)

    /// Calls `body` with a target for an arm on a new file, and removes the file afterward.
    private func withTarget(
        _ arm: Arm,
        _ body: (any WorkloadTarget) throws -> Void
    ) throws {
        try withTargetOnNewFile(arm, setup: client, body)
    }

    @Test(arguments: arms)
    func theStatusShowsHoldersAndStatements(arm: Arm) throws {
        try withTarget(arm) { target in
            try target.perform(.read, as: client) { session in
                try session.run("SELECT 1", [])
                let held = try #require(target.status()?.connections.first { $0.holder != nil })
                #expect(held.holder?.name == "ui")
                #expect(held.label.hasPrefix(arm.name))
                #expect(held.sql == "SELECT 1")
                #expect(held.state == .closure)
                // Values that are internal to GRDB are not available.
                #expect(held.transaction == nil)
            }
            let status = try #require(target.status())
            #expect(status.connections.allSatisfy { $0.holder == nil && $0.state == .idle })
            #expect(status.acquire?.count == (arm.kind == .pool ? 1 : 2))
            #expect(status.splits == nil)
            #expect(status.commit == nil)
            #expect(status.waitingReaders.isEmpty)
            #expect(status.waitingWriters.isEmpty)
            let environment = try target.environment()
            #expect(environment["library"] == "GRDB")
            #expect(environment["probes"] == "none: observed from outside")
        }
    }

    /// Runs `work` on a new thread and `meanwhile` on this thread, and waits until both end.
    private func inThread(
        _ work: @escaping @Sendable () -> Void,
        meanwhile: () throws -> Void
    ) throws {
        let isDone = DispatchSemaphore(value: 0)
        let thread = Thread {
            work()
            isDone.signal()
        }
        thread.start()
        defer { isDone.wait() }
        try meanwhile()
    }

    @Test func waitersAreVisibleAndAFullPoolIsSaturated() throws {
        var arm = Self.pool
        arm.readers = 1
        try withTarget(arm) { target in
            let isHeld = DispatchSemaphore(value: 0)
            let mayEnd = DispatchSemaphore(value: 0)
            let holder = WorkloadClientName("report")
            try inThread {
                try? target.perform(.read, as: holder) { _ in
                    isHeld.signal()
                    mayEnd.wait()
                }
            } meanwhile: {
                isHeld.wait()
                let waiter = client
                try inThread {
                    try? target.perform(.read, as: waiter) { _ in }
                } meanwhile: {
                    defer { mayEnd.signal() }
                    var status = try #require(target.status())
                    while status.waitingReaders.isEmpty {
                        sched_yield()
                        status = try #require(target.status())
                    }
                    #expect(status.waitingReaders.first?.origin.name == "ui")
                    #expect(status.waitingWriters.isEmpty)
                    #expect(status.readers?.inUse == 1)
                    #expect(status.readers?.maximum == 1)
                }
            }
            let status = try #require(target.status())
            #expect(status.readers?.inUse == 0)
            #expect(status.readers?.peak == 1)
            #expect(status.readers?.saturatedNanoseconds ?? 0 > 0)
            #expect(
                status.readers?.busyNanoseconds ?? 0 >= status.readers?.saturatedNanoseconds ?? 0
            )
        }
    }

    private static let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"

    @Test(arguments: [true, false])
    func aRunningStatementIsInterrupted(usesLabel: Bool) throws {
        try withTarget(Self.pool) { target in
            let failure = Mutex<WorkloadFailure?>(nil)
            let name = client
            try inThread {
                do {
                    try target.perform(.read, as: name) { session in
                        try session.run(Self.endless, [])
                    }
                } catch {
                    failure.withLock { $0 = target.failure(of: error) }
                }
            } meanwhile: {
                while failure.withLock({ $0 }) == nil {
                    let running = target.status()?.connections.first { $0.state == .statement }
                    if let running {
                        if usesLabel {
                            #expect(target.interrupt(connection: running.label))
                        } else {
                            target.interrupt()
                        }
                    }
                    sched_yield()
                }
            }
            #expect(failure.withLock { $0 } == .interrupted)
            let status = try #require(target.status())
            #expect(status.interrupts?.delivered == 1)
            #expect(status.interrupts?.requested ?? 0 >= 1)
            #expect(status.connections.contains { $0.interruptCount == 1 })
            #expect(!target.interrupt(connection: "unknown"))
        }
    }

    @Test func tasksAwaitTheirAccesses() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("poolgauge-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for arm in Self.arms {
            let path = folder.appendingPathComponent("\(arm.name).sqlite").path
            let target = try LibraryTargetFactory().open(arm, at: path)
            try await target.performAsync(.write, as: client) { session in
                try session.run("CREATE TABLE item (id INTEGER PRIMARY KEY)", [])
            }
            let count = Atomic<Int>(-1)
            try await target.performAsync(.read, as: client) { session in
                count.store(try session.run("SELECT * FROM item", []), ordering: .relaxed)
            }
            #expect(count.load(ordering: .relaxed) == 0)
            #expect(target.status()?.waitingReaders.isEmpty == true)
            try target.close()
        }
    }

    @Test func aBackupIsACompleteDatabase() throws {
        try withTarget(Self.pool) { target in
            let copy = FileManager.default.temporaryDirectory
                .appendingPathComponent("poolgauge-\(UUID().uuidString).sqlite")
            defer { try? FileManager.default.removeItem(at: copy) }
            var last = 0.0
            try target.backup(to: copy.path, pagesPerStep: 1, as: client) { last = $0 }
            #expect(last == 1)
            let other = try LibraryTargetFactory()
                .open(Arm(name: "copy", kind: .queue, library: .grdb), at: copy.path)
            try other.perform(.read, as: client) { session in
                let count = try session.run("SELECT * FROM item", [])
                #expect(count == 0)
            }
            try other.close()
        }
    }

    @Test func sqliteReportsTheCostOfAStatement() throws {
        try withTarget(Self.pool) { target in
            let insert = BoundStatement(
                sql: "INSERT INTO item (id) VALUES (?)",
                values: [.integer(1)]
            )
            let write = try #require(try target.profile([insert], in: .write, running: true))
            #expect(write.counters?.vmSteps ?? 0 > 0)
            let scan = BoundStatement(
                sql: "SELECT name FROM item WHERE name = ?",
                values: [.text("x")]
            )
            let read = try #require(try target.profile([scan], in: .read, running: true))
            #expect(read.plans.first?.lines.first?.hasPrefix("SCAN") == true)
            try target.perform(.read, as: client) { session in
                let count = try session.run("SELECT * FROM item", [])
                #expect(count == 0)
            }
        }
    }
}
#endif
