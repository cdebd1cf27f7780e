import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

@Suite(.timeLimit(.minutes(1)))
struct DatabaseSnapshotTests {
    private let folder = TemporaryFolder()

    @Test func aSnapshotKeepsItsStateAcrossCommits() throws {
        let pool = try DatabasePool.withTable(in: folder)
        try pool.write { db in try db.insert(1) }
        // The snapshot has the state at the time of its creation, not of its first read.
        let snapshot = try pool.makeSnapshot()
        for value in 2...20 {
            try pool.write { db in try db.insert(value) }
            try snapshot.read { db in try #expect(db.rowCount() == 1) }
        }
        #expect(try pool.rowCount() == 20)
        try pool.makeSnapshot().read { db in try #expect(db.rowCount() == 20) }
    }

    /// A closure that ends the transaction loses the state, also if it begins another transaction.
    @Test(arguments: ["COMMIT", "ROLLBACK", "COMMIT; BEGIN; SELECT * FROM t"])
    func readsThrowAfterAClosureHasEndedTheTransaction(sql: String) throws {
        let pool = try DatabasePool.withTable(in: folder)
        try pool.write { try $0.insert(1) }
        let snapshot = try pool.makeSnapshot()
        try pool.write { try $0.insert(2) }
        try snapshot.read { try $0.execute(sql: sql) }
        #expect(throws: DatabaseError.self) { try snapshot.read { try $0.rowCount() } }
        #expect(throws: DatabaseError.self) { try snapshot.unsafeRead { try $0.rowCount() } }
        #expect(throws: DatabaseError.self) {
            try snapshot.unsafeReentrantRead { try $0.rowCount() }
        }
        let gate = Gate()
        snapshot.asyncRead { db in
            #expect(throws: DatabaseError.self) { try db.get() }
            gate.open()
        }
        try gate.wait()
        // The lost snapshot no longer pins the log.
        let checkpoint = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        #expect(checkpoint.walFrameCount == 0)
    }

    @Test func asynchronousReadsThrowAfterAClosureHasEndedTheTransaction() async throws {
        let snapshot = try DatabasePool.withTable(in: folder).makeSnapshot()
        try await snapshot.read { try $0.execute(sql: "COMMIT") }
        await #expect(throws: DatabaseError.self) { try await snapshot.read { try $0.rowCount() } }
    }

    @Test(arguments: ["PASSIVE", "FULL", "RESTART", "TRUNCATE"])
    func aSnapshotKeepsItsStateAcrossCheckpoints(mode: String) throws {
        let pool = try DatabasePool.withTable(in: folder)
        let snapshot = try pool.makeSnapshot()
        for value in 1...3 {
            try pool.write { db in try db.insert(value) }
            pool.writeWithoutTransaction { db in
                let sql = "PRAGMA wal_checkpoint(\(mode))"
                // The snapshot blocks the checkpoint. Modes that wait therefore return "busy" or
                // throw.
                _ = try? db.execute(sql: sql)
            }
            try snapshot.read { db in try #expect(db.rowCount() == 0) }
        }
    }

    @Test func aSnapshotKeepsItsSchema() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let snapshot = try pool.makeSnapshot()
        try pool.write { db in try db.execute(sql: "DROP TABLE t") }
        try snapshot.read { db in try #expect(db.rowCount() == 0) }
    }

    @Test func aSnapshotCannotWrite() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let snapshot = try pool.makeSnapshot()
        let error = #expect(throws: DatabaseError.self) {
            try snapshot.read { db in try db.insert(1) }
        }
        #expect(error?.resultCode == .SQLITE_READONLY)
        try snapshot.read { db in try #expect(db.rowCount() == 0) }
    }

    @Test func aSnapshotCanBeReadByTasksAndReentrantly() async throws {
        let pool = try DatabasePool.withTable(in: folder)
        let snapshot = try pool.makeSnapshot()
        try await pool.write { db in try db.insert(1) }
        let count = try await snapshot.read { db in try db.rowCount() }
        #expect(count == 0)
        let nested = try await snapshot.read { _ in
            try snapshot.unsafeReentrantRead { db in try db.rowCount() }
        }
        #expect(nested == 0)
    }

    @Test func aCancelledReadKeepsTheSnapshot() async throws {
        let pool = try DatabasePool.withTable(in: folder)
        let snapshot = try pool.makeSnapshot()
        try await pool.write { db in try db.insert(1) }
        let gate = StatementGate()
        let task = Task {
            try await snapshot.read { db in
                gate.install(on: db)
                try db.execute(sql: StatementGate.longQuery)
            }
        }
        try await gate.awaitStatement()
        task.cancel()
        gate.resume()
        await #expect(throws: CancellationError.self) { try await task.value }
        let count = try await snapshot.read { db in try db.rowCount() }
        #expect(count == 0)
    }

    @Test func liveSnapshotsAreCountedAndLabeled() throws {
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with { $0.label = "shop" }
        )
        var first: DatabaseSnapshot? = try pool.makeSnapshot(as: AccessLabel("report"))
        let line = #line + 1
        let second = try pool.makeSnapshot()
        var status = pool.status()
        #expect(status.snapshots.map(\.label) == ["shop.snapshot.1", "shop.snapshot.2"])
        #expect(
            status.snapshots.map(\.origin?.name)
                == ["report", "DatabaseSnapshotTests.swift:\(line)"]
        )
        #expect(status.connections.filter { $0.role == .snapshot }.count == 2)
        #expect(status.snapshotsMade == 2)
        // The pool does not retain its snapshots.
        first = nil
        status = pool.status()
        #expect(first == nil)
        #expect(status.snapshots.map(\.label) == ["shop.snapshot.2"])
        try second.close()
        #expect(pool.status().snapshots.isEmpty)
        #expect(pool.status().snapshotsMade == 2)
    }

    @Test func aSnapshotThatFailsToOpenIsNotCounted() throws {
        struct Mistake: Error {}
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with {
                $0.prepareDatabase { db in if db.label.contains("snapshot") { throw Mistake() } }
            }
        )
        #expect(throws: Mistake.self) { try pool.makeSnapshot() }
        #expect(pool.status().snapshotsMade == 0)
        #expect(pool.status().snapshots.isEmpty)
    }

    @Test func theAgeIsMeasuredFromTheStateAndGrows() throws {
        let openingTime = Lock<UInt64>(0)
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with {
                $0.prepareDatabase { db in
                    if db.label.contains("snapshot") {
                        openingTime.withLock { $0 = monotonicNanoseconds() }
                    }
                }
            }
        )
        let older = try pool.makeSnapshot()
        let newer = try pool.makeSnapshot()
        let status = pool.status()
        let ages = status.snapshots.map(\.ageNanoseconds)
        try #require(ages.count == 2)
        #expect(ages[0] > ages[1])
        // The age does not include the preparation of the connection.
        #expect(ages[1] <= status.takenAtNanoseconds - openingTime.withLock { $0 })
        let later = pool.status().snapshots.map(\.ageNanoseconds)
        #expect(zip(later, ages).allSatisfy { $0 > $1 })
        #expect(try #require(newer.status().snapshots.first).ageNanoseconds > later[1])
        try older.close()
    }

    @Test func aSnapshotInsideAWriteButOutsideATransactionIsAllowed() throws {
        let pool = try DatabasePool.withTable(in: folder)
        try pool.writeWithoutTransaction { db in
            try db.insert(1)
            let snapshot = try pool.makeSnapshot()
            try db.insert(2)
            try snapshot.read { db in try #expect(db.rowCount() == 1) }
        }
        try pool.read { _ in _ = try pool.makeSnapshot() }
    }

    @Test func aSnapshotPinsTheLogUntilItIsReleased() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let snapshot = try pool.makeSnapshot()
        try pool.write { db in try db.insert(1) }
        pool.writeWithoutTransaction { db in
            _ = try? db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        #expect(try #require(pool.status().wal).bytes > 0)
        try snapshot.close()
        try pool.writeWithoutTransaction { db in
            try #expect(Int.fetchOne(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)") == 0)
        }
        #expect(try #require(pool.status().wal).bytes == 0)
    }
}
