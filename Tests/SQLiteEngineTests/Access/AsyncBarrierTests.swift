import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests asynchronous barriers, which do not block threads.
@Suite(.timeLimit(.minutes(1)))
struct AsyncBarrierTests {
    private let folder = TemporaryFolder()

    @Test func aBarrierWaitsForRunningReadsAndBlocksNewReads() async throws {
        let pool = try DatabasePool.withTable(in: folder)
        let isInside = Gate()
        let mayEnd = Gate()
        let hasRead = Lock(false)
        pool.asyncRead { _ in
            isInside.open()
            try? mayEnd.wait()
            hasRead.withLock { $0 = true }
        }
        let barrier = Task {
            try await pool.barrierWriteWithoutTransaction { db in
                #expect(hasRead.withLock { $0 })
                #expect(pool.status().readers?.inUse == 5)
                try db.insert(1)
            }
        }
        try await eventuallyAsync { pool.status().waitingWriters.count == 1 }
        let read = Task { try await pool.read { db in try db.rowCount() } }
        try await eventuallyAsync { pool.status().waitingReaders.count <= 1 }
        mayEnd.open()
        try await barrier.value
        #expect(try await read.value ?? -1 >= 0)
        try #expect(pool.rowCount() == 1)
    }

    @Test func theCallbackRunsWhileThereAreNoReads() async throws {
        let pool = try DatabasePool.withTable(in: folder)
        let count = Lock(0)
        for number in 0..<20 {
            pool.asyncBarrierWriteWithoutTransaction { result in
                #expect(pool.status().readers?.inUse == 5)
                #expect(throws: Never.self) { try result.get().insert(number) }
                count.withLock { $0 += 1 }
            }
            _ = try await pool.read { db in try db.rowCount() }
        }
        try await eventuallyAsync { count.withLock { $0 } == 20 }
        try #expect(pool.rowCount() == 20)
    }

    @Test func aCancelledBarrierReleasesTheReaders() async throws {
        let pool = try DatabasePool.withTable(in: folder)
        let isInside = Gate()
        let mayEnd = Gate()
        pool.asyncRead { _ in
            isInside.open()
            try? mayEnd.wait()
        }
        let barrier = Task {
            try await pool.barrierWriteWithoutTransaction { db in try db.insert(1) }
        }
        try await eventuallyAsync { pool.status().waitingWriters.count == 1 }
        barrier.cancel()
        await #expect(throws: CancellationError.self) { try await barrier.value }
        #expect(pool.status().waitingWriters.isEmpty)
        try #expect(pool.rowCount() == 0)
        mayEnd.open()
        try await eventuallyAsync { pool.status().readers?.inUse == 0 }
        try await pool.barrierWriteWithoutTransaction { db in try db.insert(1) }
        try #expect(pool.rowCount() == 1)
    }

    @Test func concurrentBarriersAndReadsComplete() async throws {
        let pool = try DatabasePool.withTable(in: folder)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<16 {
                group.addTask {
                    for round in 0..<10 {
                        try await pool.barrierWriteWithoutTransaction { db in
                            try db.insert(number * 100 + round)
                        }
                        _ = try await pool.read { db in try db.rowCount() }
                    }
                }
            }
            try await group.waitForAll()
        }
        try #expect(pool.rowCount() == 160)
    }

    @Test func barriersCancelledAtAnyMomentReleaseTheirConnections() async throws {
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with { $0.maximumReaderCount = 2 }
        )
        let cancelledCount = Lock(0)
        for round in 0..<20 {
            let tasks = (0..<12).map { number in
                Task {
                    do {
                        if number % 3 == 0 {
                            _ = try await pool.read { db in try db.rowCount() }
                        } else {
                            try await pool.barrierWriteWithoutTransaction { db in
                                try db.insert(round * 100 + number)
                            }
                        }
                    } catch is CancellationError {
                        cancelledCount.withLock { $0 += 1 }
                    }
                }
            }
            for (number, task) in tasks.enumerated() where number % 2 == round % 2 {
                await Task.yield()
                task.cancel()
            }
            for task in tasks { try await task.value }
        }
        #expect(cancelledCount.withLock { $0 } > 0)
        let status = pool.status()
        #expect(status.waitingReaders.isEmpty)
        #expect(status.waitingWriters.isEmpty)
        try await pool.barrierWriteWithoutTransaction { db in try db.insert(-1) }
        // The timer of kept transactions may briefly hold a reader.
        try await eventuallyAsync { pool.status().readers?.inUse == 0 }
    }
}
