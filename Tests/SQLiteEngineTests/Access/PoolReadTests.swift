import TestSupport
import Testing

@testable import SQLiteEngine

@Suite(.timeLimit(.minutes(1)))
struct PoolReadTests {
    private let folder = TemporaryFolder()

    @Test func readersAreOpenedOnDemand() throws {
        let pool = try DatabasePool.withTable(
            in: folder,
            // Without kept transactions, no timer acquires a reader.
            configuration: .with { $0.keepsReadTransactions = false }
        )
        #expect(pool.status().readers?.open == 0)
        try pool.read { db in _ = try db.rowCount() }
        #expect(pool.status().readers?.open == 1)
        try pool.read { db in _ = try db.rowCount() }
        #expect(pool.status().readers?.open == 1)
        try withHeldReaders(2, in: pool) { #expect(pool.status().readers?.open == 2) }
    }

    @Test func aPoolOpensAtMostTheMaximumNumberOfReaders() throws {
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with { $0.maximumReaderCount = 3 }
        )
        try withHeldReaders(3, in: pool) {
            let fourth = Background { try pool.read { db in db.label } }
            try eventually { pool.status().waitingReaders.count == 1 }
            #expect(!fourth.isDone)
            #expect(pool.status().readers?.open == 3)
            return [fourth]
        }
        #expect(pool.status().readers?.open == 3)
        #expect(pool.status().waitingReaders.isEmpty)
    }

    @Test func connectionsHaveLabels() throws {
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with { $0.label = "shop" }
        )
        try pool.read { db in #expect(db.label == "shop.reader.1") }
        try pool.write { db in #expect(db.label == "shop.writer") }
    }

    @Test func aReadObservesOneState() throws {
        let pool = try DatabasePool.withTable(in: folder)
        try pool.read { db in
            try #expect(db.rowCount() == 0)
            try pool.write { db in try db.insert(1) }
            try #expect(db.rowCount() == 0)
        }
        #expect(try pool.rowCount() == 1)
    }

    @Test func readsDoNotWaitForAWrite() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let inserted = Gate()
        let mayCommit = Gate()
        let write = Background {
            try pool.write { db in
                try db.insert(1)
                inserted.open()
                try mayCommit.wait()
            }
        }
        try inserted.wait()
        #expect(try pool.rowCount() == 0)
        mayCommit.open()
        try write.value()
        #expect(try pool.rowCount() == 1)
    }

    @Test func aReadInsideAWriteObservesTheLastCommit() throws {
        let pool = try DatabasePool.withTable(in: folder)
        try pool.write { db in try db.insert(1) }
        try pool.write { db in
            try db.insert(2)
            #expect(try pool.rowCount() == 1)
            try #expect(db.rowCount() == 2)
        }
    }

    @Test func aReadObservesACommitWithoutATransaction() throws {
        let pool = try DatabasePool.withTable(in: folder)
        try pool.writeWithoutTransaction { db in
            for value in 1...100 {
                try db.insert(value)
                #expect(try pool.rowCount() == value)
            }
        }
    }

    @Test func aReadObservesCommitsOfAnotherPool() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let other = try DatabasePool(path: folder.file())
        for value in 1...100 {
            try other.write { db in try db.insert(value) }
            #expect(try pool.rowCount() == value)
            #expect(try pool.rowCount() == value)
        }
    }

    @Test func aReaderCannotWrite() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let error = #expect(throws: DatabaseError.self) {
            try pool.read { db in try db.insert(1) }
        }
        #expect(error?.resultCode == .SQLITE_READONLY)
        #expect(try pool.rowCount() == 0)
    }

    @Test func anErrorFromTheClosureIsRethrownAndTheReaderIsReleased() throws {
        struct Mistake: Error {}
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with { $0.maximumReaderCount = 1 }
        )
        #expect(throws: Mistake.self) { try pool.read { _ in throw Mistake() } }
        try pool.write { db in try db.insert(1) }
        #expect(try pool.rowCount() == 1)
    }

    @Test func aReadMayEndItsTransaction() throws {
        let pool = try DatabasePool.withTable(in: folder)
        try pool.read { db in
            try db.commit()
            #expect(!db.isInsideTransaction)
        }
        #expect(try pool.rowCount() == 0)
    }

    @Test func anUnsafeReadObservesEachCommit() throws {
        let pool = try DatabasePool.withTable(in: folder)
        try pool.unsafeRead { db in
            #expect(!db.isInsideTransaction)
            try #expect(db.rowCount() == 0)
            try pool.write { db in try db.insert(1) }
            try #expect(db.rowCount() == 1)
        }
    }

    @Test func aReentrantReadUsesTheSameConnection() throws {
        let pool = try DatabasePool.withTable(in: folder)
        try pool.read { outer in
            try #expect(outer.rowCount() == 0)
            try pool.write { db in try db.insert(1) }
            try pool.unsafeReentrantRead { inner in
                #expect(inner === outer)
                try #expect(inner.rowCount() == 0)
            }
        }
        try pool.unsafeReentrantRead { db in try #expect(db.rowCount() == 1) }
    }

    @Test func aReentrantWriteUsesTheSameConnection() throws {
        let pool = try DatabasePool.withTable(in: folder)
        try pool.write { outer in
            try pool.unsafeReentrantWrite { inner in
                #expect(inner === outer)
                try inner.insert(1)
            }
            try pool.read { _ in
                pool.unsafeReentrantWrite { inner in #expect(inner === outer) }
            }
        }
        try pool.unsafeReentrantWrite { db in
            #expect(!db.isInsideTransaction)
            try #expect(db.rowCount() == 1)
        }
    }

    @Test func poolsAreIndependent() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let other = try DatabasePool(path: folder.file("other.sqlite"))
        try pool.write { db in
            try db.insert(1)
            try other.write { db in
                try db.execute(sql: "CREATE TABLE t (v)")
                try other.read { _ in }
            }
            try other.read { db in try #expect(db.rowCount() == 0) }
        }
    }

    @Test func writesAreSerialized() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let writers = (0..<4).map { worker in
            Background {
                for round in 0..<50 {
                    try pool.write { db in
                        let count = try #require(try db.rowCount())
                        try db.insert(count)
                        _ = (worker, round)
                    }
                }
            }
        }
        for writer in writers { try writer.value() }
        #expect(try pool.rowCount() == 200)
    }

    /// Runs `body` while `count` threads are inside a read.
    ///
    /// After the threads have ended their reads, waits for the work that `body` returns.
    private func withHeldReaders<Value: Sendable>(
        _ count: Int,
        in pool: DatabasePool,
        _ body: () throws -> [Background<Value>]
    ) throws {
        let held = Gate()
        let mayEnd = Gate()
        let readers = (0..<count).map { _ in
            Background {
                try pool.read { _ in
                    held.open()
                    try mayEnd.wait()
                }
            }
        }
        for _ in readers { try held.wait() }
        defer { for _ in readers { mayEnd.open() } }
        let work = try body()
        for _ in readers { mayEnd.open() }
        for reader in readers { try reader.value() }
        for work in work { _ = try work.value() }
    }

    private func withHeldReaders(
        _ count: Int,
        in pool: DatabasePool,
        _ body: () throws -> Void
    ) throws {
        try withHeldReaders(count, in: pool) { () -> [Background<Void>] in
            try body()
            return []
        }
    }
}
