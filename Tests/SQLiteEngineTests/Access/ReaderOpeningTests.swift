import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests how opening a reader affects other accesses.
@Suite(.timeLimit(.minutes(1)))
struct ReaderOpeningTests {
    private struct Mistake: Error {}
    private let folder = TemporaryFolder()
    private let isOpening = Gate()
    private let mayContinue = Gate()
    private let openingCount = Lock(0)

    /// Returns a pool whose first reader opens slowly, and fails to open if `failsToOpen` is
    /// `true`.
    private func makePool(readers: Int, failsToOpen: Bool) throws -> DatabasePool {
        let (isOpening, mayContinue, openingCount) = (isOpening, mayContinue, openingCount)
        return try DatabasePool.withTable(
            in: folder,
            configuration: .with {
                $0.maximumReaderCount = readers
                $0.prepareDatabase { db in
                    guard db.label.contains("reader") else { return }
                    let number = openingCount.withLock { openingCount in
                        openingCount += 1
                        return openingCount
                    }
                    guard number == 1 else { return }
                    isOpening.open()
                    try mayContinue.wait()
                    if failsToOpen { throw Mistake() }
                }
            }
        )
    }

    @Test func anotherReaderAndTheWriterAreNotBlocked() throws {
        let pool = try makePool(readers: 2, failsToOpen: false)
        let slowRead = Background { try pool.read { db in db.label } }
        try isOpening.wait()
        #expect(pool.status().connections.map(\.state) == [.idle, .opening])
        try pool.read { db in #expect(db.label.hasSuffix("reader.2")) }
        try pool.write { db in try db.insert(1) }
        #expect(!slowRead.isDone)
        mayContinue.open()
        #expect(try slowRead.value().hasSuffix("reader.1"))
    }

    @Test func theAccessThatOpensAReaderThrowsTheError() throws {
        let pool = try makePool(readers: 1, failsToOpen: true)
        mayContinue.open()
        #expect(throws: Mistake.self) { try pool.rowCount() }
        #expect(pool.status().readers?.open == 0)
        #expect(pool.status().readers?.inUse == 0)
        #expect(try pool.rowCount() == 0)
    }

    @Test func aWaitingThreadOpensTheReaderThatFailed() throws {
        let pool = try makePool(readers: 1, failsToOpen: true)
        let first = Background { try pool.rowCount() }
        try isOpening.wait()
        let second = Background { try pool.rowCount() }
        let third = Background { try pool.rowCount() }
        try eventually { pool.status().waitingReaders.count == 2 }
        mayContinue.open()
        #expect(throws: Mistake.self) { try first.value() }
        #expect(try second.value() == 0)
        #expect(try third.value() == 0)
    }

    @Test func aWaitingTaskOpensTheReaderThatFailed() async throws {
        let pool = try makePool(readers: 1, failsToOpen: true)
        let first = Background { try pool.rowCount() }
        try await eventuallyAsync { pool.status().readers?.inUse == 1 }
        let second = Task { try await pool.read { db in try db.rowCount() } }
        try await eventuallyAsync { pool.status().waitingReaders.count == 1 }
        mayContinue.open()
        try await eventuallyAsync { first.isDone }
        #expect(throws: Mistake.self) { try first.value() }
        // The test does not await the value of the task yet, because a failing test must not hang.
        try await eventuallyAsync { pool.status().waitingReaders.isEmpty }
        #expect(try await second.value == 0)
    }

    @Test func aTaskBehindABarrierOpensItsReader() async throws {
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with { $0.maximumReaderCount = 1 }
        )
        let mayEnd = Gate()
        let barrier = Background {
            try pool.barrierWriteWithoutTransaction { _ in try mayEnd.wait() }
        }
        try await eventuallyAsync { pool.status().readers?.inUse == 1 }
        let read = Task { try await pool.read { db in try db.rowCount() } }
        try await eventuallyAsync { pool.status().waitingReaders.count == 1 }
        mayEnd.open()
        try await eventuallyAsync { barrier.isDone && pool.status().waitingReaders.isEmpty }
        #expect(try await read.value == 0)
    }
}
