import SQLiteEngine
import Telemetry
import Testing

/// Runs the samples in `DatabaseWriter`.
@Suite(.timeLimit(.minutes(1)))
struct DatabaseWriterSampleTests {
    let sample = SampleDatabase()

    @Test func everyWriterWrites() async throws {
        for writer in try sample.makeWriters() {
            try #expect(write(writer) == 1)
            let newPlayerCount = try await writer.write { db in
                try SamplePlayer(name: "Arthur").insert(db)
                return try SamplePlayer.fetchCount(db)
            }
            #expect(newPlayerCount == 2)
        }
    }

    private func write(_ writer: any DatabaseWriter) throws -> Int {
        try writer.write { db in
            try SamplePlayer(name: "Arthur").insert(db)
            return try SamplePlayer.fetchCount(db)
        }
    }

    @Test func everyWriterWritesWithoutTransaction() async throws {
        for writer in try sample.makeWriters() {
            try #expect(writeWithoutTransaction(writer) == 1)
            let newPlayerCount = try await writer.writeWithoutTransaction { db in
                try SamplePlayer(name: "Arthur").insert(db)
                return try SamplePlayer.fetchCount(db)
            }
            #expect(newPlayerCount == 2)
        }
    }

    private func writeWithoutTransaction(_ writer: any DatabaseWriter) throws -> Int {
        try writer.writeWithoutTransaction { db in
            try SamplePlayer(name: "Arthur").insert(db)
            return try SamplePlayer.fetchCount(db)
        }
    }

    @Test func everyWriterWritesBehindABarrier() async throws {
        for writer in try sample.makeWriters() {
            try #expect(writeBehindABarrier(writer) == 1)
            let newPlayerCount = try await writer.barrierWriteWithoutTransaction { db in
                try SamplePlayer(name: "Arthur").insert(db)
                return try SamplePlayer.fetchCount(db)
            }
            #expect(newPlayerCount == 2)
        }
    }

    private func writeBehindABarrier(_ writer: any DatabaseWriter) throws -> Int {
        try writer.barrierWriteWithoutTransaction { db in
            try SamplePlayer(name: "Arthur").insert(db)
            return try SamplePlayer.fetchCount(db)
        }
    }

    @Test func everyWriterWritesBehindABarrierWithACallback() throws {
        for writer in try sample.makeWriters() {
            let newPlayerCount = Outcome<Int>()
            writer.asyncBarrierWriteWithoutTransaction { dbResult in
                newPlayerCount.set {
                    let db = try dbResult.get()
                    try SamplePlayer(name: "Arthur").insert(db)
                    return try SamplePlayer.fetchCount(db)
                }
            }
            try #expect(newPlayerCount.get() == 1)
        }
    }

    @Test func everyWriterWritesWithACallback() throws {
        for writer in try sample.makeWriters() {
            let newPlayerCount = Outcome<Int>()
            writer.asyncWriteWithoutTransaction { db in
                newPlayerCount.set {
                    try SamplePlayer(name: "Arthur").insert(db)
                    return try SamplePlayer.fetchCount(db)
                }
            }
            try #expect(newPlayerCount.get() == 1)
        }
    }

    @Test func aTransactionWithACallbackReportsItsResult() throws {
        for writer in try sample.makeWriters() {
            let newPlayerCount = Outcome<Int>()
            writer.asyncWrite { db -> Int in
                try SamplePlayer(name: "Arthur").insert(db)
                return try SamplePlayer.fetchCount(db)
            } completion: { db, result in
                newPlayerCount.set {
                    #expect(!db.isInsideTransaction)
                    switch result {
                    case .success(let newPlayerCount): return newPlayerCount
                    case .failure(let error): throw error
                    }
                }
            }
            try #expect(newPlayerCount.get() == 1)
        }
    }

    @Test func everyWriterWritesInsideAWrite() throws {
        for writer in try sample.makeWriters() {
            try writer.write { _ in
                let newPlayerCount = try writer.unsafeReentrantWrite { db in
                    try SamplePlayer(name: "Arthur").insert(db)
                    return try SamplePlayer.fetchCount(db)
                }
                #expect(newPlayerCount == 1)
            }
        }
    }

    @Test func aSpawnedReadObservesTheLastCommit() throws {
        for writer in try sample.makeWriters() {
            let count = Outcome<Int>()
            try writer.writeWithoutTransaction { db in
                try SamplePlayer(name: "Arthur").insert(db)
                try SamplePlayer.deleteAll(db)
                writer.spawnConcurrentRead { dbResult in
                    count.set {
                        let db = try dbResult.get()
                        return try SamplePlayer.fetchCount(db)
                    }
                }
                try SamplePlayer(name: "Barbara").insert(db)
            }
            try #expect(count.get() == 0)
        }
    }

    @Test func aConcurrentReadFromAnAsynchronousWriteObservesTheLastCommit() throws {
        let writer = try sample.makePool()
        try writer.write { db in try SamplePlayer(name: "Arthur").insert(db) }
        let count = Outcome<Int>()
        writer.asyncWriteWithoutTransaction { db in
            do {
                try SamplePlayer.deleteAll(db)
                writer.asyncConcurrentRead { dbResult in
                    count.set {
                        let db = try dbResult.get()
                        return try SamplePlayer.fetchCount(db)
                    }
                }
                try SamplePlayer(name: "Barbara").insert(db)
            } catch {
                Issue.record(error)
            }
        }
        try #expect(count.get() == 0)
        // Wait for the write, because the folder is removed when the test ends.
        try #expect(writer.write { try SamplePlayer.fetchCount($0) } == 1)
    }

    /// An observer that counts commits.
    private final class MyObserver: TransactionObserver {
        let commitCount = Lock(0)
        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidCommit(_ db: Database) { commitCount.withLock { $0 += 1 } }
        func databaseDidRollback(_ db: Database) {}
    }

    @Test func observersAreAddedAndRemoved() throws {
        for writer in try sample.makeWriters() {
            let myObserver = MyObserver()
            writer.add(transactionObserver: myObserver)
            try writer.write { db in try SamplePlayer(name: "Arthur").insert(db) }
            writer.remove(transactionObserver: myObserver)
            try writer.write { db in try SamplePlayer(name: "Barbara").insert(db) }
            #expect(myObserver.commitCount.withLock { $0 } == 1)
        }
    }

    @Test func everyWriterErasesAndVacuums() async throws {
        for writer in try sample.makeWriters() {
            try await writer.vacuum()
            let copy = sample.folder.file("copy-\(ObjectIdentifier(writer).hashValue).sqlite")
            try await writer.vacuum(into: copy)
            try await writer.erase()
            try await #expect(writer.read { db in try db.tableExists("player") } == false)
            try await #expect(DatabaseQueue(path: copy).read { db in try db.tableExists("player") })
        }
    }
}
