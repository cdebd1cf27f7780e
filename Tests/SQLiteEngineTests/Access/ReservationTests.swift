import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests nested accesses during an operation that acquires all connections.
///
/// Each access would wait forever if the operation held some connections while it waited for
/// other connections.
@Suite(.timeLimit(.minutes(1)))
struct ReservationTests {
    private let folder = TemporaryFolder()

    /// An operation that acquires all connections.
    enum ExclusiveOperation: CaseIterable {
        case barrier
        case callbackBarrier
        case close
        case releaseMemory

        /// Starts the operation on a new thread.
        func begin(_ pool: DatabasePool) -> Background<Void> {
            Background {
                switch self {
                case .barrier: try pool.barrierWriteWithoutTransaction { _ in }
                case .callbackBarrier:
                    let isDone = Gate()
                    pool.asyncBarrierWriteWithoutTransaction { _ in isDone.open() }
                    try isDone.wait()
                case .close: try pool.close()
                case .releaseMemory: pool.releaseMemory()
                }
            }
        }
    }

    private func makePool(readers: Int = 2) throws -> DatabasePool {
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with { $0.maximumReaderCount = readers }
        )
        _ = try pool.rowCount()
        return pool
    }

    /// Runs `access`, and starts `operation` while `access` is running.
    ///
    /// `access` receives a closure that returns only after `operation` starts waiting.
    private func run(
        _ operation: ExclusiveOperation,
        _ pool: DatabasePool,
        during access: @escaping @Sendable (_ atStart: () throws -> Void) throws -> Void
    ) throws {
        let isInside = Gate()
        let mayContinue = Gate()
        let accessThread = Background {
            try access {
                isInside.open()
                try mayContinue.wait()
            }
        }
        try isInside.wait()
        let operationThread = operation.begin(pool)
        try eventually { pool.status().waitingWriters.count == 1 }
        mayContinue.open()
        try accessThread.value()
        try operationThread.value()
    }

    @Test(arguments: ExclusiveOperation.allCases)
    func aReadInsideAWriteContinues(operation: ExclusiveOperation) throws {
        let pool = try makePool()
        try run(operation, pool) { atStart in
            try pool.write { db in
                try atStart()
                try db.insert(1)
                try #expect(pool.rowCount() == 0)
            }
        }
        if operation != .close { try #expect(pool.rowCount() == 1) }
    }

    @Test(arguments: ExclusiveOperation.allCases)
    func aWriteInsideAReadContinues(operation: ExclusiveOperation) throws {
        let pool = try makePool()
        try run(operation, pool) { atStart in
            try pool.read { db in
                try #expect(db.rowCount() == 0)
                try atStart()
                // The test writes twice, because the first write returns the writer to the
                // operation that reserved it.
                for value in 0..<2 { try pool.write { db in try db.insert(value) } }
                try pool.writeWithoutTransaction { db in try db.insert(2) }
                try #expect(db.rowCount() == 0)
            }
        }
        if operation != .close { try #expect(pool.rowCount() == 3) }
    }

    @Test func severalReadersBorrowTheWriterInTurn() throws {
        let pool = try makePool(readers: 4)
        let isInside = Gate()
        let mayContinue = Gate()
        let reads = (0..<4).map { value in
            Background {
                try pool.read { db in
                    _ = try db.rowCount()
                    isInside.open()
                    try mayContinue.wait()
                    try pool.write { db in try db.insert(value) }
                }
            }
        }
        for _ in reads { try isInside.wait() }
        let count = Lock(-1)
        let barrier = Background {
            try pool.barrierWriteWithoutTransaction { db in
                let rows = try db.rowCount() ?? -1
                count.withLock { $0 = rows }
            }
        }
        try eventually { pool.status().waitingWriters.count == 1 }
        // This write is not inside a read, so it waits until the barrier ends.
        let write = Background { try pool.write { db in try db.insert(100) } }
        try eventually { pool.status().waitingWriters.count == 2 }
        for _ in reads { mayContinue.open() }
        for read in reads { try read.value() }
        try barrier.value()
        try write.value()
        #expect(count.withLock { $0 } == 4)
        try #expect(pool.rowCount() == 5)
    }

    @Test func aCancelledBarrierLeavesTheWriterToItsBorrower() async throws {
        let pool = try makePool()
        let hasRead = Gate()
        let mayBorrow = Gate()
        let hasBorrowed = Lock(false)
        let mayEnd = Gate()
        let read = Background {
            try pool.read { db in
                _ = try db.rowCount()
                hasRead.open()
                try mayBorrow.wait()
                try pool.write { db in
                    hasBorrowed.withLock { $0 = true }
                    try mayEnd.wait()
                    try db.insert(1)
                }
            }
        }
        try hasRead.wait()
        let barrier = Task {
            try await pool.barrierWriteWithoutTransaction { db in try db.insert(2) }
        }
        try await eventuallyAsync { pool.status().waitingWriters.count == 1 }
        mayBorrow.open()
        try await eventuallyAsync { hasBorrowed.withLock { $0 } }
        barrier.cancel()
        await #expect(throws: CancellationError.self) { try await barrier.value }
        let write = Background { try pool.write { db in try db.insert(3) } }
        try await eventuallyAsync { pool.status().waitingWriters.count == 1 }
        mayEnd.open()
        try read.value()
        try write.value()
        try await pool.barrierWriteWithoutTransaction { db in try db.insert(4) }
        try #expect(pool.rowCount() == 3)
    }

    @Test
    func nestedAccessesOfAllKindsComplete() async throws {
        // The pool has one more reader than there are threads that write inside a read.
        let pool = try makePool(readers: 3)
        let next = Lock(0)
        @Sendable func insert(_ db: Database) throws {
            let value = next.withLock { next in
                next += 1
                return next
            }
            try db.insert(value)
        }
        let threads = (0..<6).map { number in
            Background {
                var random = SeededRandom(seed: UInt64(number))
                for _ in 0..<60 {
                    switch number {
                    case 0, 1:
                        try pool.read { db in
                            _ = try db.rowCount()
                            try pool.write { db in try insert(db) }
                        }
                    case 2, 3:
                        try pool.write { db in
                            try insert(db)
                            _ = try pool.rowCount()
                        }
                    case 4: try pool.barrierWriteWithoutTransaction { db in try insert(db) }
                    default:
                        if Bool.random(using: &random) { pool.releaseMemory() }
                        _ = try pool.rowCount()
                    }
                }
            }
        }
        for round in 0..<60 {
            let barrier = Task {
                try await pool.barrierWriteWithoutTransaction { db in try insert(db) }
            }
            if round % 3 == 0 { barrier.cancel() }
            _ = await barrier.result
        }
        for thread in threads { try thread.value() }
        try pool.close()
    }
}
