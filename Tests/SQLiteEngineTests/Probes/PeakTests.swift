import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests that the peaks in a status are counts, not samples.
///
/// Each waiting access raises the peaks, even if the wait is short.
@Suite(.timeLimit(.minutes(1)))
struct PeakTests {
    private let folder = TemporaryFolder()

    private func makePool(readers: Int) throws -> DatabasePool {
        try .withTable(in: folder, configuration: .with { $0.maximumReaderCount = readers })
    }

    /// Starts an access, and returns when the access is inside its closure.
    private func startAccess(
        _ access: @escaping @Sendable (_ inside: () throws -> Void) throws -> Void
    ) throws -> (work: Background<Void>, mayEnd: Gate) {
        let (isHeld, mayEnd) = (Gate(), Gate())
        let work = Background {
            try access {
                isHeld.open()
                try mayEnd.wait()
            }
        }
        try isHeld.wait()
        return (work, mayEnd)
    }

    @Test func allWaitersAreCountedWithoutAStatus() throws {
        let pool = try makePool(readers: 1)
        _ = try pool.rowCount()
        let statusBefore = pool.status()
        #expect(statusBefore.waitingReadersPeak == 0)
        #expect(statusBefore.waitingWritersPeak == 0)
        let holder = try startAccess { inside in try pool.read { _ in try inside() } }
        let reads = (0..<5).map { _ in Background { _ = try pool.rowCount() } }
        // The test does not request a status here, because the peak must not depend on one.
        try eventually { pool.readers.queue.withLock { $0.waiters.count } == 5 }
        holder.mayEnd.open()
        for work in reads + [holder.work] { try work.value() }
        let statusAfter = pool.status()
        #expect(statusAfter.waitingReaders.isEmpty)
        #expect(statusAfter.waitingReadersPeak == 5)
        #expect(statusAfter.waitingWritersPeak == 0)
    }

    @Test func readsAndWritesOfAQueueAreCountedSeparately() async throws {
        let queue = try DatabaseQueue(path: folder.file())
        let holder = try startAccess { inside in try queue.read { _ in try inside() } }
        let reads = (0..<2).map { _ in Background { try queue.read { _ in } } }
        let write = Background { try queue.write { _ in } }
        try eventually { queue.gate.queue.withLock { $0.waiters.count } == 3 }
        // A canceled task is also counted as a waiter.
        let task = Task { try await queue.write { _ in } }
        try await eventuallyAsync { queue.gate.queue.withLock { $0.waiters.count } == 4 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        holder.mayEnd.open()
        for work in reads + [write, holder.work] { try work.value() }
        let status = queue.status()
        #expect(status.waitingReadersPeak == 2)
        #expect(status.waitingWritersPeak == 2)
        queue.restartTimes()
        #expect(queue.status().waitingReadersPeak == 0)
        #expect(queue.status().waitingWritersPeak == 0)
    }

    @Test func aBarrierIsCountedAsOneWaitingWrite() throws {
        let pool = try makePool(readers: 2)
        let holder = try startAccess { inside in try pool.read { _ in try inside() } }
        let barrier = Background { try pool.barrierWriteWithoutTransaction { _ in } }
        try eventually { pool.status().waitingWriters.count == 1 }
        let write = Background { try pool.write { _ in } }
        try eventually { pool.status().waitingWriters.count == 2 }
        holder.mayEnd.open()
        for work in [holder.work, barrier, write] { try work.value() }
        #expect(pool.status().waitingWritersPeak == 2)
    }

    @Test func waitersOfAClosingDatabaseAreCounted() throws {
        let pool = try makePool(readers: 1)
        let counts = pool.readers.waiting
        let holder = try startAccess { inside in try pool.read { _ in try inside() } }
        let read = Background { try pool.read { _ in } }
        try eventually { counts.reading.peak == 1 }
        // No access waits at the end, regardless of the order.
        let close = Background { try pool.close() }
        holder.mayEnd.open()
        for work in [holder.work, read, close] { try? work.value() }
        counts.restart()
        #expect(counts.reading.peak == 0)
        #expect(counts.writing.peak == 0)
    }

    @Test func aNewPeakStartsWithTheReadersInUse() throws {
        let pool = try makePool(readers: 4)
        let holders = try (0..<3).map { _ in
            try startAccess { inside in try pool.read { _ in try inside() } }
        }
        #expect(pool.status().readers?.peak == 3)
        for holder in holders.dropFirst() { holder.mayEnd.open() }
        for holder in holders.dropFirst() { try holder.work.value() }
        pool.restartTimes()
        // The first reader is still in use, but the other readers are not.
        #expect(pool.status().readers?.peak == 1)
        holders[0].mayEnd.open()
        try holders[0].work.value()
        pool.restartTimes()
        try eventually { pool.status().readers?.inUse == 0 }
        pool.restartTimes()
        #expect(pool.status().readers?.peak == 0)
        // Concurrent threads used several readers. Threads that run one after another use only one
        // reader.
        for _ in 0..<4 { try Background { _ = try pool.rowCount() }.value() }
        _ = try pool.rowCount()
        #expect(pool.status().readers?.peak == 1)
    }

    @Test func readsOfTasksAndObservationsAreCountedAsUse() async throws {
        let pool = try makePool(readers: 3)
        pool.restartTimes()
        let outer = try startAccess { inside in try pool.read { _ in try inside() } }
        _ = try await pool.read { db in try db.rowCount() }
        #expect(pool.status().readers?.peak == 2)
        outer.mayEnd.open()
        try outer.work.value()
    }

    @Test func peaksAreExactUnderLoad() throws {
        let pool = try makePool(readers: 2)
        let usage = Lock((now: 0, peak: 0))
        let threads = (0..<8).map { _ in
            Background {
                for _ in 0..<200 {
                    try pool.read { _ in
                        usage.withLock { counts in
                            counts.now += 1
                            counts.peak = max(counts.peak, counts.now)
                        }
                        usage.withLock { $0.now -= 1 }
                    }
                }
            }
        }
        for thread in threads { try thread.value() }
        let status = pool.status()
        #expect(try #require(status.readers).peak >= usage.withLock { $0.peak })
        #expect(try #require(status.waitingReadersPeak) <= 8)
        #expect((status.waitingReadersPeak == 0) == (status.acquiredAtOnce == 1))
        #expect(pool.readers.waiting.reading.peak == status.waitingReadersPeak)
    }
}
