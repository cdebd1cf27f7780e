import Foundation
import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

@Suite(.timeLimit(.minutes(1)))
struct AsyncAccessTests {
    private let folder = TemporaryFolder()

    /// Runs `body` with a pool whose only reader is held by a thread.
    private func withHeldReader(_ body: (DatabasePool) async throws -> Void) async throws {
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with { $0.maximumReaderCount = 1 }
        )
        let mayEnd = Gate()
        let holder = Background { try pool.read { _ in try mayEnd.wait() } }
        try await eventuallyAsync { pool.status().readers?.inUse == 1 }
        do {
            try await body(pool)
        } catch {
            mayEnd.open()
            throw error
        }
        mayEnd.open()
        try await eventuallyAsync { holder.isDone }
    }

    @Test func accessesReadAndWrite() async throws {
        let pool = try DatabasePool.withTable(in: folder)
        try await pool.write { db in
            #expect(db.isInsideTransaction)
            try db.insert(1)
        }
        try await pool.writeWithoutTransaction { db in
            #expect(!db.isInsideTransaction)
            try db.insert(2)
        }
        let count = try await pool.read { db in try db.rowCount() }
        #expect(count == 2)
        try await pool.unsafeRead { db in #expect(!db.isInsideTransaction) }
    }

    @Test func aWriteThatThrowsIsRolledBack() async throws {
        struct Mistake: Error {}
        let queue = try DatabaseQueue.withTable()
        await #expect(throws: Mistake.self) {
            try await queue.write { db in
                try db.insert(1)
                throw Mistake()
            }
        }
        let count = try await queue.read { db in try db.rowCount() }
        #expect(count == 0)
    }

    @Test func aReadOfAQueueCannotWrite() async throws {
        let queue = try DatabaseQueue.withTable()
        let error = await #expect(throws: DatabaseError.self) {
            try await queue.read { db in try db.insert(1) }
        }
        #expect(error?.resultCode == .SQLITE_READONLY)
        try await queue.write { db in try db.insert(1) }
    }

    @Test func waitingTasksBlockNoThread() async throws {
        let waiterCount = 64
        try await withHeldReader { pool in
            let tasks = (0..<waiterCount).map { _ in
                Task { try await pool.read { db in try db.rowCount() } }
            }
            // The number of tasks exceeds the number of threads in the cooperative pool.
            try await eventuallyAsync { pool.status().waitingReaders.count == waiterCount }
            #expect(pool.status().waitingReaders.filter(\.isAsync).count == waiterCount)
            for task in tasks { task.cancel() }
        }
    }

    @Test func runningAccessesBlockNoThreadOfTheCooperativePool() async throws {
        let count = ProcessInfo.processInfo.activeProcessorCount + 2
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with { $0.maximumReaderCount = count }
        )
        let mayEnd = Gate()
        let tasks = (0..<count).map { _ in
            Task { try await pool.read { _ in try mayEnd.wait() } }
        }
        try await eventuallyAsync { pool.status().readers?.inUse == count }
        for _ in tasks { mayEnd.open() }
        for task in tasks { try await task.value }
    }

    @Test func tasksAcquireTheReaderInOrder() async throws {
        let order = Lock<[Int]>([])
        var tasks: [Task<Void, any Error>] = []
        try await withHeldReader { pool in
            for number in 0..<8 {
                tasks.append(
                    Task { try await pool.read { _ in order.withLock { $0.append(number) } } }
                )
                try await eventuallyAsync { pool.status().waitingReaders.count == number + 1 }
            }
        }
        for task in tasks { try await task.value }
        #expect(order.withLock { $0 } == Array(0..<8))
    }

    @Test func aQueuedAccessThrowsImmediatelyWhenCancelled() async throws {
        try await withHeldReader { pool in
            let hasRun = Lock(false)
            let task = Task { try await pool.read { _ in hasRun.withLock { $0 = true } } }
            try await eventuallyAsync { pool.status().waitingReaders.count == 1 }
            task.cancel()
            // The reader is still held.
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(pool.status().waitingReaders.isEmpty)
            #expect(pool.status().readers?.inUse == 1)
            #expect(!hasRun.withLock { $0 })
        }
    }

    @Test func aCancelledTaskDoesNotStartItsAccess() async throws {
        let pool = try DatabasePool.withTable(in: folder)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await pool.write { db in try db.insert(1) }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try pool.rowCount() == 0)
    }

    @Test func cancelingInterruptsTheStatementAndRollsBack() async throws {
        let pool = try DatabasePool.withTable(in: folder)
        let gate = StatementGate()
        let task = Task {
            try await pool.write { db in
                gate.install(on: db)
                try db.insert(1)
                try db.execute(sql: StatementGate.longQuery)
            }
        }
        try await gate.awaitStatement()
        task.cancel()
        gate.resume()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await pool.write { db in
            try #expect(db.rowCount() == 0)
            try db.insert(2)
        }
        #expect(try pool.rowCount() == 1)
    }

    @Test func cancelingInterruptsTheStatementOfARead() async throws {
        let queue = try DatabaseQueue.withTable()
        let gate = StatementGate()
        let task = Task {
            try await queue.read { db in
                gate.install(on: db)
                try db.execute(sql: StatementGate.longQuery)
            }
        }
        try await gate.awaitStatement()
        task.cancel()
        gate.resume()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try queue.rowCount() == 0)
    }

    @Test func cancelingBetweenTwoStatementsMakesTheNextThrow() async throws {
        let pool = try DatabasePool.withTable(in: folder)
        let isInside = Lock(false)
        let mayContinue = Gate()
        let task = Task {
            try await pool.write { db in
                try db.insert(1)
                isInside.withLock { $0 = true }
                try mayContinue.wait()
                #expect(throws: CancellationError.self) { try db.insert(2) }
                #expect(throws: CancellationError.self) { try db.rowCount() }
            }
        }
        try await eventuallyAsync { isInside.withLock { $0 } }
        task.cancel()
        mayContinue.open()
        // The closure returned, but its writes must not be committed.
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try pool.rowCount() == 0)
    }

    @Test func anErrorFromTheClosureIsNotACancellation() async throws {
        struct Mistake: Error {}
        let pool = try DatabasePool.withTable(in: folder)
        await #expect(throws: Mistake.self) { try await pool.read { _ in throw Mistake() } }
        let gate = StatementGate()
        let task = Task {
            try await pool.read { db in
                gate.install(on: db)
                try db.execute(sql: StatementGate.longQuery)
            }
        }
        try await gate.awaitStatement()
        pool.interrupt()
        gate.resume()
        let error = await #expect(throws: DatabaseError.self) { try await task.value }
        #expect(error?.resultCode == .SQLITE_INTERRUPT)
    }

    @Test func cancelledAccessesReleaseTheirConnections() async throws {
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with { $0.maximumReaderCount = 2 }
        )
        for round in 0..<20 {
            let tasks = (0..<20).map { number in
                Task { () -> Bool in
                    do {
                        if number % 3 == 0 {
                            try await pool.write { db in try db.insert(round * 100 + number) }
                        } else {
                            _ = try await pool.read { db in try db.rowCount() }
                        }
                        return true
                    } catch is CancellationError {
                        return false
                    }
                }
            }
            for (number, task) in tasks.enumerated() where number % 2 == round % 2 {
                await Task.yield()
                task.cancel()
            }
            var writtenCount = 0
            for (number, task) in tasks.enumerated() {
                let hasEnded = try await task.value
                if hasEnded, number % 3 == 0 { writtenCount += 1 }
            }
            let rowCount = try await pool.read { db in
                try Int.fetchOne(
                    db,
                    sql: "SELECT count(*) FROM t WHERE v >= ? AND v < ?",
                    arguments: [round * 100, round * 100 + 100]
                )
            }
            // Accesses that threw were rolled back, and accesses that returned were committed.
            #expect(rowCount == writtenCount)
        }
        let status = pool.status()
        #expect(status.waitingReaders.isEmpty)
        #expect(status.waitingWriters.isEmpty)
        // Another thread may still be ending a kept transaction.
        try await eventuallyAsync { pool.status().readers?.inUse == 0 }
    }

    @Test func tasksAndThreadsShareTheConnections() async throws {
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with { $0.maximumReaderCount = 2 }
        )
        let threads = (0..<4).map { _ in
            Background { for _ in 0..<100 { _ = try pool.rowCount() } }
        }
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<25 { _ = try await pool.read { db in try db.rowCount() } }
                }
            }
            try await group.waitForAll()
        }
        try await eventuallyAsync { threads.allSatisfy(\.isDone) }
        for thread in threads { try thread.value() }
    }

    @Test(arguments: [false, true])
    func endedWaitersAreReleased(isCancelled: Bool) async throws {
        var pool: DatabasePool? = try DatabasePool.withTable(
            in: folder,
            configuration: .with { $0.maximumReaderCount = 1 }
        )
        weak let readers = pool?.readers
        let isInside = Gate()
        let mayEnd = Gate()
        let holder = Background { [pool] in
            try pool?.read { _ in
                isInside.open()
                try mayEnd.wait()
            }
        }
        try isInside.wait()
        let waitingRead = Task { [pool] in try await pool?.read { db in try db.rowCount() } }
        try await eventuallyAsync { pool?.status().waitingReaders.count == 1 }
        if isCancelled { waitingRead.cancel() }
        if isCancelled { _ = await waitingRead.result }
        mayEnd.open()
        try holder.value()
        _ = await waitingRead.result
        pool = nil
        try await eventuallyAsync { readers == nil }
    }
}
