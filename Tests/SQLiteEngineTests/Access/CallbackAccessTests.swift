import Foundation
import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests accesses with callbacks.
@Suite(.timeLimit(.minutes(1)))
struct CallbackAccessTests {
    private let folder = TemporaryFolder()

    @Test func readsCallBackWithAConnectionInATransaction() throws {
        let writers: [any DatabaseWriter] = [
            try DatabasePool.withTable(in: folder), try DatabaseQueue.withTable(),
        ]
        for writer in writers {
            let done = Gate()
            writer.asyncRead { result in
                let db = try? result.get()
                #expect(db?.isInsideTransaction == true)
                #expect((try? db?.rowCount()) == 0)
                #expect(throws: DatabaseError.self) { try db?.insert(1) }
                done.open()
            }
            try done.wait()
            writer.asyncUnsafeRead { result in
                let db = try? result.get()
                #expect(db?.isInsideTransaction == false)
                #expect((try? db?.rowCount()) == 0)
                done.open()
            }
            try done.wait()
            try writer.write { db in try db.insert(1) }
        }
    }

    @Test func writesRunInTheOrderOfTheCalls() throws {
        let writers: [any DatabaseWriter] = [
            try DatabasePool.withTable(in: folder), try DatabaseQueue.withTable(),
        ]
        for writer in writers {
            let order = Lock<[Int]>([])
            let isHeld = Gate()
            let mayContinue = Gate()
            writer.asyncWriteWithoutTransaction { _ in
                isHeld.open()
                try? mayContinue.wait()
            }
            try isHeld.wait()
            let done = Gate()
            for number in 0..<50 {
                writer.asyncWrite { db in
                    try db.insert(number)
                } completion: { db, result in
                    #expect(throws: Never.self) { try result.get() }
                    #expect(!db.isInsideTransaction)
                    order.withLock { $0.append(number) }
                    if number == 49 { done.open() }
                }
            }
            mayContinue.open()
            try done.wait()
            #expect(order.withLock { $0 } == Array(0..<50))
            try #expect(writer.read { db in try db.rowCount() } == 50)
        }
    }

    @Test func aReadRunsAfterAPrecedingAsyncWrite() throws {
        let queue = try DatabaseQueue.withTable()
        for number in 0..<200 {
            queue.asyncWriteWithoutTransaction { db in try? db.insert(2 * number) }
            let last = try queue.read { db in try Int.fetchOne(db, sql: "SELECT max(v) FROM t") }
            #expect(last == 2 * number)
        }
    }

    @Test func aWriteThatThrowsRollsBackAndReportsItsError() throws {
        let queue = try DatabaseQueue.withTable()
        let done = Gate()
        queue.asyncWrite { db in
            try db.insert(1)
            throw ThrownError()
        } completion: { db, result in
            #expect(throws: ThrownError.self) { try result.get() }
            #expect((try? db.rowCount()) == 0)
            done.open()
        }
        try done.wait()
    }

    @Test func callbacksOfAClosedDatabaseReceiveAnError() throws {
        let pool = try DatabasePool.withTable(in: folder)
        try pool.close()
        let done = Gate()
        let errors = Lock<[ResultCode?]>([])
        let record = { @Sendable (error: (any Error)?) in
            errors.withLock { $0.append((error as? DatabaseError)?.resultCode) }
            done.open()
        }
        pool.asyncRead { result in record(result.error) }
        try done.wait()
        pool.asyncUnsafeRead { result in record(result.error) }
        try done.wait()
        pool.asyncBarrierWriteWithoutTransaction { result in record(result.error) }
        try done.wait()
        pool.asyncWriteWithoutTransaction { db in
            record(Result { try db.execute(sql: "SELECT 1") }.error)
        }
        try done.wait()
        pool.asyncWrite { db in
            try db.insert(1)
        } completion: { _, result in
            record(result.error)
        }
        try done.wait()
        #expect(errors.withLock { $0 } == Array(repeating: .SQLITE_MISUSE, count: 5))
    }

    @Test func aCallbackKeepsItsDatabaseOpen() throws {
        let done = Gate()
        let mayContinue = Gate()
        do {
            let pool = try DatabasePool.withTable(in: folder)
            pool.asyncRead { result in
                try? mayContinue.wait()
                #expect((try? result.get().rowCount()) == 0)
                done.open()
            }
        }
        mayContinue.open()
        try done.wait()
    }

    #if os(Linux)
    @Test func waitersUseNoThreads() throws {
        let configuration = Configuration.with { $0.maximumReaderCount = 2 }
        let pool = try DatabasePool.withTable(in: folder, configuration: configuration)
        let threadCount = {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
        }
        let entered = Gate()
        let mayContinue = Gate()
        let left = Gate()
        let threadCountBefore = try threadCount()
        for _ in 0..<500 {
            pool.asyncRead { _ in
                entered.open()
                try? mayContinue.wait()
                left.open()
            }
        }
        try entered.wait()
        try entered.wait()
        #expect(pool.status().waitingReaders.count == 498)
        try #expect(threadCount() < threadCountBefore + 100)
        for _ in 0..<500 { mayContinue.open() }
        for _ in 0..<500 { try left.wait() }
        #expect(pool.status().waitingReaders.isEmpty)
    }
    #endif
}

extension Result {
    /// The error, or `nil` if the result is a success.
    fileprivate var error: Failure? {
        if case .failure(let error) = self { return error }
        return nil
    }
}
