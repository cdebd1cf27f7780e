import SQLiteEngine
import Testing

/// Runs the samples in `DatabaseSnapshot`, `DatabaseSnapshotPool`, and `makeSnapshot()`.
@Suite(.timeLimit(.minutes(1)))
struct DatabaseSnapshotSampleTests {
    let sample = SampleDatabase()

    private func count(_ reader: any DatabaseReader) throws -> Int {
        try reader.read { db in
            try SamplePlayer.fetchCount(db)
        }
    }

    @Test func aSnapshotDoesNotChange() throws {
        let dbPool = try sample.makePool()
        try dbPool.write { db in try SamplePlayer(name: "Arthur").insert(db) }
        let snapshot = try dbPool.makeSnapshot()
        try dbPool.write { db in try SamplePlayer(name: "Barbara").insert(db) }
        try #expect(count(snapshot) == 1)
        try #expect(count(dbPool) == 2)
    }

    @Test func aSnapshotFromTheWriterObservesItsCommits() throws {
        let dbPool = try sample.makePool()
        try dbPool.write { db in try SamplePlayer(name: "Arthur").insert(db) }
        let snapshot1 = try dbPool.writeWithoutTransaction { db -> DatabaseSnapshot in
            try db.inTransaction {
                try SamplePlayer.deleteAll(db)
                return .commit
            }
            return try dbPool.makeSnapshot()
        }
        try dbPool.write { db in try SamplePlayer(name: "Barbara").insert(db) }
        let snapshot2 = try dbPool.makeSnapshot()
        try #expect(count(snapshot1) == 0)
        try #expect(count(snapshot2) == 1)
    }

    @Test func aSnapshotInsideATransactionStopsTheProgram() async {
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) {
            endProcessAfterTimeout()
            // The folder of the file exists as long as the sample.
            let sample = SampleDatabase()
            defer { withExtendedLifetime(sample) {} }
            let dbPool = try sample.makePool()
            try dbPool.write { db in
                try SamplePlayer.deleteAll(db)
                _ = try dbPool.makeSnapshot()
            }
        }
        #expect(result?.message.contains("makeSnapshot() must not be called") == true)
    }

    @Test func snapshotsAreCreatedBeforeAndAfterATransaction() throws {
        let dbPool = try sample.makePool()
        try dbPool.write { db in try SamplePlayer(name: "Arthur").insert(db) }
        var snapshots = [try dbPool.makeSnapshot()]
        try dbPool.writeWithoutTransaction { db in
            snapshots.append(try dbPool.makeSnapshot())
            try db.inTransaction {
                try SamplePlayer.deleteAll(db)
                return .commit
            }
            snapshots.append(try dbPool.makeSnapshot())
        }
        snapshots.append(try dbPool.makeSnapshot())
        try #expect(snapshots.map(count) == [1, 1, 0, 0])
    }

    @Test func aSnapshotPoolReadsItsStateFromManyConnections() throws {
        let dbPool = try sample.makePool()
        let snapshot = try dbPool.makeSnapshotPool()
        try dbPool.write { db in try SamplePlayer(name: "Arthur").insert(db) }
        try snapshot.read { db in
            try #expect(SamplePlayer.fetchCount(db) == 0)
            let other = Background { try count(snapshot) }
            try #expect(other.value() == 0)
        }
    }

    @Test func aSnapshotPoolOpensAPath() throws {
        let dbPool = try sample.makePool()
        let snapshot = try DatabaseSnapshotPool(path: sample.path)
        try dbPool.write { db in try SamplePlayer(name: "Arthur").insert(db) }
        try #expect(count(snapshot) == 0)
    }

    @Test func aSnapshotPoolFromTheWriterObservesItsCommits() throws {
        let dbPool = try sample.makePool()
        try dbPool.write { db in try SamplePlayer(name: "Arthur").insert(db) }
        let snapshot = try dbPool.writeWithoutTransaction { db -> DatabaseSnapshotPool in
            try db.inTransaction {
                try SamplePlayer.deleteAll(db)
                return .commit
            }
            return try DatabaseSnapshotPool(db)
        }
        try dbPool.write { db in try SamplePlayer(name: "Barbara").insert(db) }
        try #expect(count(snapshot) == 0)
    }
}
