import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

@Suite(.timeLimit(.minutes(1)))
struct BarrierTests {
    private let folder = TemporaryFolder()

    @Test func aBarrierWaitsForRunningReads() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let isInside = Gate()
        let mayEnd = Gate()
        let hasEnded = Lock(false)
        let read = Background {
            try pool.read { db in
                isInside.open()
                try mayEnd.wait()
                defer { hasEnded.withLock { $0 = true } }
                return try db.rowCount()
            }
        }
        try isInside.wait()
        let barrier = Background {
            try pool.barrierWriteWithoutTransaction { db in
                #expect(hasEnded.withLock { $0 })
                try db.insert(1)
            }
        }
        try eventually { pool.status().waitingWriters.count == 1 }
        mayEnd.open()
        #expect(try read.value() == 0)
        try barrier.value()
    }

    @Test func aBarrierBlocksNewReads() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let isInside = Gate()
        let mayEnd = Gate()
        let barrier = Background {
            try pool.barrierWriteWithoutTransaction { db in
                isInside.open()
                try mayEnd.wait()
                try db.insert(1)
            }
        }
        try isInside.wait()
        let reads = (0..<3).map { _ in Background { try pool.rowCount() } }
        try eventually { pool.status().waitingReaders.count == 3 }
        #expect(reads.filter(\.isDone).isEmpty)
        mayEnd.open()
        try barrier.value()
        for read in reads { #expect(try read.value() == 1) }
    }

    @Test func concurrentBarriersAndReadsComplete() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let barriers = (0..<4).map { number in
            Background {
                for round in 0..<10 {
                    try pool.barrierWriteWithoutTransaction { db in
                        try db.insert(number * 100 + round)
                    }
                    _ = try pool.rowCount()
                }
            }
        }
        for barrier in barriers { try barrier.value() }
        #expect(try pool.rowCount() == 40)
    }

    @Test func aBarrierThatThrowsReleasesAllConnections() throws {
        struct Mistake: Error {}
        let pool = try DatabasePool.withTable(in: folder)
        #expect(throws: Mistake.self) {
            try pool.barrierWriteWithoutTransaction { _ in throw Mistake() }
        }
        #expect(try pool.rowCount() == 0)
        try pool.write { db in try db.insert(1) }
    }

    @Test func aBarrierRunsOutsideATransaction() throws {
        let pool = try DatabasePool.withTable(in: folder)
        try pool.barrierWriteWithoutTransaction { db in
            #expect(!db.isInsideTransaction)
            // No reader is inside a transaction, so the whole log can be truncated.
            try db.insert(1)
            let busy = try Int.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
            #expect(busy == 0)
        }
        #expect(pool.status().wal?.bytes == 0)
    }
}
