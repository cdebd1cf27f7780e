import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests concurrent reads of the writer's last commit.
@Suite(.timeLimit(.minutes(1)))
struct ConcurrentReadTests {
    private let folder = TemporaryFolder()

    @Test func theReadObservesTheLastCommitAndNothingLater() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let counts = Lock<[Int: Int]>([:])
        let done = Gate()
        try pool.writeWithoutTransaction { db in
            for number in 1...100 {
                try db.insert(number)
                pool.asyncConcurrentRead { result in
                    let count = try? result.get().rowCount()
                    counts.withLock { $0[number] = count }
                    done.open()
                }
                // Reads that started earlier do not observe this commit.
                try db.insert(-number)
                try db.execute(sql: "DELETE FROM t WHERE v = ?", arguments: [-number])
            }
        }
        for _ in 1...100 { try done.wait() }
        #expect(counts.withLock { $0 } == .init(uniqueKeysWithValues: (1...100).map { ($0, $0) }))
    }

    @Test func theWriterContinuesDuringTheRead() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let mayRead = Gate()
        let done = Gate()
        try pool.writeWithoutTransaction { db in
            pool.spawnConcurrentRead { result in
                try? mayRead.wait()
                #expect((try? result.get().rowCount()) == 0)
                #expect((try? result.get().label)?.contains("reader") == true)
                done.open()
            }
            try db.insert(1)
        }
        try #expect(pool.rowCount() == 1)
        mayRead.open()
        try done.wait()
        try eventually { pool.status().readers?.inUse == 0 }
    }

    /// An observer that starts a concurrent read after each commit.
    private final class Spawner: TransactionObserver {
        private let writer: any DatabaseWriter
        private let counts: Lock<[Int?]>

        init(writer: any DatabaseWriter, counts: Lock<[Int?]>) {
            self.writer = writer
            self.counts = counts
        }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidRollback(_ db: Database) {}

        func databaseDidCommit(_ db: Database) {
            writer.spawnConcurrentRead { [counts] result in
                let count = try? result.get().rowCount()
                counts.withLock { $0.append(count) }
            }
        }
    }

    @Test func anObserverReadsTheCommit() throws {
        let writers: [any DatabaseWriter] = [
            try DatabasePool.withTable(in: folder), try DatabaseQueue.withTable(),
        ]
        for writer in writers {
            let counts = Lock<[Int?]>([])
            let spawner = Spawner(writer: writer, counts: counts)
            writer.add(transactionObserver: spawner)
            for number in 1...30 { try writer.write { db in try db.insert(number) } }
            try eventually { counts.withLock { $0.count } == 30 }
            #expect(counts.withLock { $0.compactMap { $0 }.sorted() } == Array(1...30))
            writer.remove(transactionObserver: spawner)
        }
    }

    @Test func aQueueCompletesTheReadBeforeTheWriteContinues() throws {
        let queue = try DatabaseQueue.withTable()
        let count = Lock<Int?>(nil)
        try queue.writeWithoutTransaction { db in
            try db.insert(1)
            queue.spawnConcurrentRead { result in
                let value = try? result.get().rowCount()
                #expect(throws: DatabaseError.self) { try result.get().insert(2) }
                count.withLock { $0 = value }
            }
            #expect(count.withLock { $0 } == 1)
            #expect(!db.isInsideTransaction)
            try db.insert(3)
        }
    }

    @Test func aConcurrentReadInsideATransactionTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            endProcessAfterTimeout()
            let folder = TemporaryFolder()
            let pool = try DatabasePool(path: folder.file())
            try pool.write { _ in pool.asyncConcurrentRead { _ in } }
        }
        #expect(result?.message.contains("inside a transaction") == true)
    }

    @Test func aConcurrentReadWithoutTheWriterTraps() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            endProcessAfterTimeout()
            let folder = TemporaryFolder()
            let pool = try DatabasePool(path: folder.file())
            pool.asyncConcurrentRead { _ in }
        }
        #expect(result?.message.contains("does not hold the writer") == true)
    }
}
