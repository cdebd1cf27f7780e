import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests threads and tasks that wait for the same readers.
@Suite(.timeLimit(.minutes(1)))
struct WaitingTests {
    private let folder = TemporaryFolder()

    private func makePool(readers: Int) throws -> DatabasePool {
        try DatabasePool.withTable(
            in: folder,
            configuration: .with { $0.maximumReaderCount = readers }
        )
    }

    /// Starts a read that lasts until its gate opens, and waits until the read has started.
    private func startRead(_ pool: DatabasePool, until mayEnd: Gate) throws -> Background<Void> {
        let isInside = Gate()
        let read = Background {
            try pool.read { _ in
                isInside.open()
                try mayEnd.wait()
            }
        }
        try isInside.wait()
        return read
    }

    /// Opens all readers with concurrent reads that each require a reader.
    private func openAll(_ pool: DatabasePool) throws {
        let mayEnd = Gate()
        let holders = try pool.readers.slots.map { _ in try startRead(pool, until: mayEnd) }
        for _ in holders { mayEnd.open() }
        for holder in holders { try holder.value() }
    }

    /// Two readers become free, and a thread that has waited longer than its limit receives the
    /// second one.
    ///
    /// The first reader was left free for the thread. Because no other access ends, the task must
    /// acquire that reader.
    @Test func aTaskAcquiresAReaderThatWasLeftFreeForAThread() throws {
        let pool = try makePool(readers: 2)
        let gate = pool.readers
        try openAll(pool)
        for round in 0..<200 {
            try eventually { gate.slots.allSatisfy { !$0.isTaken } }
            for slot in gate.slots { try eventually { slot.claimIdle() } }
            let mayEnd = Gate()
            let thread = Background { try pool.read { _ in try mayEnd.wait() } }
            try eventually { gate.queue.withLock { $0.waiters.count == 1 } }
            let isRead = Gate()
            pool.asyncRead { _ in isRead.open() }
            try eventually { gate.queue.withLock { $0.waiters.count == 2 } }
            let since = gate.queue.withLock { $0.waiters[0].since }
            let patienceEnd = since + EngineTimings.shortestPatience
            // The slot is released so late that the thread is still asleep when its wait limit
            // expires.
            try eventually { monotonicNanoseconds() >= patienceEnd - UInt64(round % 20) * 1_000 }
            gate.release(gate.slots[0])
            try eventually { monotonicNanoseconds() >= patienceEnd }
            gate.release(gate.slots[1])
            try isRead.wait()
            mayEnd.open()
            try thread.value()
        }
    }

    @Test func anImmediateReadRequiresAFreeReaderAndNoOuterRead() throws {
        let pool = try makePool(readers: 2)
        let site = AccessSite(AccessLabel("test"))
        #expect(try pool.rowCount() == 0)
        var rows: [Int?] = []
        #expect(pool.readIfFree(at: site) { db in rows.append(try? db.rowCount()) })
        #expect(rows == [0])
        try pool.read { _ in
            // Another reader is free, and another thread can acquire it.
            _ = try Background { try pool.rowCount() }.value()
            #expect(!pool.readIfFree(at: site) { _ in rows.append(nil) })
        }
        let mayEnd = Gate()
        let holders = try [startRead(pool, until: mayEnd), startRead(pool, until: mayEnd)]
        #expect(!pool.readIfFree(at: site) { _ in rows.append(nil) })
        for _ in holders { mayEnd.open() }
        for holder in holders { try holder.value() }
        #expect(rows == [0])
        // Another thread may still be ending a kept transaction.
        try eventually { pool.readIfFree(at: site) { db in rows.append(try? db.rowCount()) } }
        #expect(rows == [0, 0])
    }
}
