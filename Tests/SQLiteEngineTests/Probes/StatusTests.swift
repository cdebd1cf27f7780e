import Foundation
import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

@Suite(.timeLimit(.minutes(1)))
struct StatusTests {
    private let folder = TemporaryFolder()

    @Test func aNewPoolShowsOnlyItsWriter() throws {
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with { $0.label = "shop" }
        )
        let status = pool.status()
        #expect(status.label == "shop")
        #expect(status.kind == .pool)
        #expect(status.path == folder.file())
        #expect(status.journalMode == "wal")
        #expect(status.connections.map(\.label) == ["shop.writer"])
        #expect(status.connections.map(\.role) == [.writer])
        #expect(status.connections.map(\.state) == [.idle])
        #expect(status.readers?.maximum == 5)
        #expect(status.readers?.inUse == 0)
        #expect(status.waitingReaders.isEmpty)
        #expect(!status.isClosed)
    }

    @Test func aQueueHasOneConnectionAndNoReaders() throws {
        let status = try DatabaseQueue.withTable().status()
        #expect(status.kind == .queue)
        #expect(status.path == nil)
        #expect(status.readers == nil)
        #expect(status.connections.map(\.role) == [.queue])
    }

    @Test func accessesAreCountedOnce() throws {
        let pool = try DatabasePool.withTable(
            in: folder,
            // Without kept transactions, no timer acquires a connection during the test.
            configuration: .with { $0.keepsReadTransactions = false }
        )
        for _ in 0..<3 { _ = try pool.rowCount() }
        // One access created the table.
        #expect(pool.status().connections.map(\.accessCount) == [1, 3])
        #expect(pool.status().hold?.count == 3)
        #expect(pool.status().acquire?.count == 3)
    }

    @Test func theHolderIsTheCallSite() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let line = #line + 1
        try pool.read { _ in
            let reader = try #require(pool.status().connections.last)
            #expect(reader.holder?.name == "StatusTests.swift:\(line)")
            #expect(reader.role == .reader)
            #expect(reader.state == .closure)
            #expect(reader.heldNanoseconds != nil)
            #expect(reader.accessCount == 1)
        }
        let idle = try #require(pool.status().connections.last)
        #expect(idle.state == .idle)
        #expect(idle.holder == nil)
        #expect(idle.heldNanoseconds == nil)
        #expect(idle.sql == nil)
    }

    @Test func theHolderIsTheLabel() throws {
        let label = AccessLabel("nightly import")
        #expect(label == AccessLabel("nightly import"))
        #expect(label != AccessLabel("other"))
        let pool = try DatabasePool.withTable(in: folder)
        try pool.write(as: label) { _ in
            #expect(pool.status().connections.first?.holder?.name == "nightly import")
            try pool.read(as: AccessLabel("ui")) { _ in
                #expect(pool.status().connections.last?.holder?.name == "ui")
            }
        }
        pool.writeWithoutTransaction(as: label) { _ in
            #expect(pool.status().connections.first?.holder?.name == "nightly import")
        }
        let queue = try DatabaseQueue.withTable()
        try queue.read(as: label) { _ in
            #expect(queue.status().connections.first?.holder?.name == "nightly import")
        }
    }

    @Test func anAsynchronousAccessReportsItsCallSite() async throws {
        let pool = try DatabasePool.withTable(in: folder)
        let line = #line + 1
        try await pool.read { _ in
            #expect(pool.status().connections.last?.holder?.name == "StatusTests.swift:\(line)")
        }
    }

    @Test func theHoldTimeIncreases() throws {
        let queue = try DatabaseQueue.withTable()
        try queue.read { _ in
            let first = try #require(queue.status().connections.first?.heldNanoseconds)
            let second = try #require(queue.status().connections.first?.heldNanoseconds)
            #expect(second > first)
        }
    }

    @Test func theRunningStatementAndItsAgeAreReported() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let gate = StatementGate()
        let read = Background {
            try pool.read { db in
                gate.install(on: db)
                try db.execute(sql: "SELECT gate()")
                let status = try #require(pool.status().connections.last)
                #expect(status.state == .closure)
                #expect(status.sql == "SELECT gate()")
                #expect(status.sqlNanoseconds == nil)
            }
        }
        try gate.awaitStatement()
        let first = try #require(pool.status().connections.last)
        #expect(first.state == .statement)
        #expect(first.sql == "SELECT gate()")
        let second = try #require(pool.status().connections.last)
        #expect(try #require(second.sqlNanoseconds) > (first.sqlNanoseconds ?? 0))
        gate.resume()
        try read.value()
    }

    @Test func waitersAreReportedWithTheirNamesAndAges() throws {
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with { $0.maximumReaderCount = 1 }
        )
        let isHeld = Gate()
        let mayEnd = Gate()
        let holder = Background {
            try pool.write { _ in
                try pool.read { _ in
                    isHeld.open()
                    try mayEnd.wait()
                }
            }
        }
        try isHeld.wait()
        let line = #line + 1
        let site = Background { try pool.read { _ in } }
        try eventually { pool.status().waitingReaders.count == 1 }
        let label = Background { try pool.read(as: AccessLabel("ui")) { _ in } }
        try eventually { pool.status().waitingReaders.count == 2 }
        let writer = Background { try pool.write(as: AccessLabel("import")) { _ in } }
        try eventually { pool.status().waitingWriters.count == 1 }
        let status = pool.status()
        #expect(
            status.waitingReaders.map(\.origin.name) == ["StatusTests.swift:\(line)", "ui"]
        )
        #expect(status.waitingWriters.map(\.origin.name) == ["import"])
        #expect(status.waitingReaders.map(\.isAsync) == [false, false])
        let ages = status.waitingReaders.map(\.waitedNanoseconds)
        #expect(ages[0] > ages[1])
        #expect(status.oldestWaiterNanoseconds == ages[0])
        #expect(try #require(pool.status().oldestWaiterNanoseconds) > ages[0])
        mayEnd.open()
        for work in [holder, site, label, writer] { try work.value() }
        #expect(pool.status().oldestWaiterNanoseconds == nil)
        #expect(try #require(pool.status().acquire).max >= ages[0])
    }

    @Test func theReadersOfAQueueWaitSeparatelyFromItsWriters() throws {
        let queue = try DatabaseQueue.withTable()
        let isHeld = Gate()
        let mayEnd = Gate()
        let holder = Background {
            try queue.read { _ in
                isHeld.open()
                try mayEnd.wait()
            }
        }
        try isHeld.wait()
        let reads = (0..<2).map { _ in Background { try queue.read { _ in } } }
        let write = Background { try queue.write { _ in } }
        try eventually {
            let status = queue.status()
            return status.waitingReaders.count == 2 && status.waitingWriters.count == 1
        }
        mayEnd.open()
        for work in [holder, write] + reads { try work.value() }
    }

    @Test func thePeakIsTheLargestNumberInUse() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let isHeld = Gate()
        let mayEnd = Gate()
        #expect(pool.status().readers?.peak == 0)
        _ = try pool.rowCount()
        #expect(pool.status().readers?.peak == 1)
        let readers = (0..<3).map { _ in
            Background {
                try pool.read { _ in
                    isHeld.open()
                    try mayEnd.wait()
                }
            }
        }
        for _ in readers { try isHeld.wait() }
        #expect(pool.status().readers?.inUse == 3)
        for _ in readers { mayEnd.open() }
        for reader in readers { try reader.value() }
        #expect(pool.status().readers?.peak == 3)
        // Another thread may still be ending a kept transaction.
        try eventually { pool.status().readers?.inUse == 0 }
    }

    @Test func busyAndSaturatedTimesAccumulate() throws {
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with { $0.maximumReaderCount = 2 }
        )
        let isHeld = Gate()
        let mayEnd = Gate()
        let readers = (0..<2).map { _ in
            Background {
                try pool.read { _ in
                    isHeld.open()
                    try mayEnd.wait()
                }
            }
        }
        for _ in readers { try isHeld.wait() }
        let statusBefore = pool.status()
        let statusAfter = pool.status()
        let elapsed = statusAfter.takenAtNanoseconds - statusBefore.takenAtNanoseconds
        let busy =
            try #require(statusAfter.readers).busyNanoseconds
            - #require(statusBefore.readers).busyNanoseconds
        // Both readers were in use the whole time, so the utilization is one.
        #expect(busy == 2 * elapsed)
        // No access waited.
        #expect(statusAfter.readers?.saturatedNanoseconds == 0)

        let waiter = Background { try pool.rowCount() }
        try eventually { pool.status().waitingReaders.count == 1 }
        let waiting = pool.status()
        let later = pool.status()
        let saturated =
            try #require(later.readers?.saturatedNanoseconds)
            - #require(waiting.readers?.saturatedNanoseconds)
        #expect(saturated == later.takenAtNanoseconds - waiting.takenAtNanoseconds)

        for _ in readers { mayEnd.open() }
        for reader in readers { try reader.value() }
        _ = try waiter.value()
        let idle = pool.status()
        let idleLater = pool.status()
        #expect(idle.readers?.busyNanoseconds == idleLater.readers?.busyNanoseconds)
        #expect(idle.readers?.saturatedNanoseconds == idleLater.readers?.saturatedNanoseconds)
        #expect(try #require(idle.readers?.saturatedNanoseconds) >= saturated)
    }

    @Test func withoutProbesNothingIsRecordedPerAccess() throws {
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with {
                $0.probes = .off
                $0.maximumReaderCount = 1
            }
        )
        _ = try pool.rowCount()
        try pool.write { db in try db.insert(1) }
        let status = pool.status()
        #expect(status.connections.map(\.state) == [.idle, .idle])
        #expect(status.connections.map(\.accessCount) == [0, 0])
        #expect(status.readers?.open == 1)
        try pool.read { _ in
            #expect(pool.status().readers?.inUse == 1)
            let waiter = Background { try pool.rowCount() }
            try eventually { pool.status().waitingReaders.count == 1 }
            _ = waiter
        }
    }

    @Test func theLogIsReported() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let statusBefore = try #require(pool.status().wal)
        try pool.write { db in for value in 0..<500 { try db.insert(value) } }
        let statusAfter = try #require(pool.status().wal)
        #expect(statusAfter.bytes > statusBefore.bytes)
        let frames = try #require(statusAfter.frames)
        #expect(frames > (statusBefore.frames ?? 0))
        // The log contains a header of 32 bytes. Each frame contains a header of 24 bytes and a
        // page.
        #expect(statusAfter.bytes >= 32 + frames * (24 + 4_096))
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA wal_checkpoint(PASSIVE)")
        }
        let checkpointed = try #require(pool.status().wal)
        #expect(checkpointed.checkpointedFrames == checkpointed.frames)
    }

    @Test func aStatusIsDecodedFromJSON() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let snapshot = try pool.makeSnapshot()
        try pool.read { _ in
            let status = pool.status()
            let data = try JSONEncoder().encode(status)
            #expect(try JSONDecoder().decode(DatabaseStatus.self, from: data) == status)
        }
        try snapshot.close()
    }

    @Test func aStatusIsSafeDuringAccesses() throws {
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with { $0.maximumReaderCount = 2 }
        )
        let workers = (0..<4).map { worker in
            Background {
                for round in 0..<100 {
                    _ = try pool.rowCount()
                    try pool.write { db in try db.insert(worker * 1_000 + round) }
                }
            }
        }
        while !workers.allSatisfy({ $0.isDone }) {
            let status = pool.status()
            #expect(try #require(status.readers).inUse <= 2)
            #expect(status.connections.count <= 3)
        }
        for worker in workers { try worker.value() }
    }
}
