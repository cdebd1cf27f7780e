import Dispatch
import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests the notifications of observations on queues and pools.
@Suite(.timeLimit(.minutes(1)))
struct ValueObservationTests {
    enum Kind: CaseIterable {
        case queue
        case queueInWAL
        case pool
        case poolBehindAWrapper
    }

    private let folder = TemporaryFolder()

    private func makeDatabase(_ kind: Kind) throws -> any DatabaseWriter {
        let database: any DatabaseWriter =
            switch kind {
            case .queue: try DatabaseQueue(path: folder.file())
            case .queueInWAL:
                try DatabaseQueue(
                    path: folder.file(),
                    configuration: .with { $0.journalMode = .wal }
                )
            case .pool: try DatabasePool(path: folder.file())
            case .poolBehindAWrapper: AnyDatabaseWriter(try DatabasePool(path: folder.file()))
            }
        try database.write { db in
            try db.execute(sql: "CREATE TABLE t (v); CREATE TABLE other (v)")
        }
        return database
    }

    private static let countObservation = ValueObservation.tracking { db in
        try Int.fetchOne(db, sql: "SELECT count(*) FROM t") ?? -1
    }

    private func insert(_ value: Int, into table: String = "t", of db: any DatabaseWriter) throws {
        try db.write { try $0.execute(sql: "INSERT INTO \(table) VALUES (?)", arguments: [value]) }
    }

    /// Starts an observation, and collects its values and errors.
    private func start<R: ValueReducer>(
        _ observation: ValueObservation<R>,
        in reader: any DatabaseReader,
        _ received: CollectedLines
    ) -> AnyDatabaseCancellable {
        observation.start(
            in: reader,
            scheduling: .async(onQueue: DispatchQueue(label: "notifications")),
            onError: { received.append("error: \($0)") },
            onChange: { received.append("\($0)") }
        )
    }

    @Test(arguments: Kind.allCases)
    func valuesArriveAtTheStartAndAfterCommits(kind: Kind) throws {
        let database = try makeDatabase(kind)
        let received = CollectedLines()
        let cancellable = start(Self.countObservation, in: database, received)
        try eventually { received.all == ["0"] }
        for expected in 1...20 {
            try insert(expected, of: database)
            try eventually { received.all.last == "\(expected)" }
        }
        #expect(received.all.map { Int($0) ?? -1 } == received.all.map { Int($0) ?? -1 }.sorted())
        cancellable.cancel()
        try insert(0, of: database)
        _ = try database.read { try Int.fetchOne($0, sql: "SELECT 1") }
        #expect(received.all.last == "20")
    }

    @Test(arguments: Kind.allCases)
    func unrelatedChangesAreNotReported(kind: Kind) throws {
        let database = try makeDatabase(kind)
        let received = CollectedLines()
        let cancellable = start(Self.countObservation, in: database, received)
        try eventually { received.all == ["0"] && database.status().observations?.active == 1 }
        let fetches = database.status().observations
        for value in 1...20 { try insert(value, into: "other", of: database) }
        #expect(database.status().observations == fetches)
        try insert(1, of: database)
        try eventually { received.all == ["0", "1"] }
        cancellable.cancel()
    }

    @Test(arguments: Kind.allCases)
    func aRolledBackChangeIsNotReported(kind: Kind) throws {
        struct Mistake: Error {}
        let database = try makeDatabase(kind)
        let received = CollectedLines()
        let cancellable = start(Self.countObservation, in: database, received)
        try eventually { received.all == ["0"] && database.status().observations?.active == 1 }
        let fetches = database.status().observations
        #expect(throws: Mistake.self) {
            try database.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                throw Mistake()
            }
        }
        try insert(1, into: "other", of: database)
        #expect(database.status().observations == fetches)
        cancellable.cancel()
    }

    @Test(arguments: Kind.allCases)
    func theRegionIsThatOfTheLastFetch(kind: Kind) throws {
        let database = try makeDatabase(kind)
        let received = CollectedLines()
        // The region includes the other table only if `t` contains a row.
        let observation = ValueObservation.tracking { db in
            let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM t") ?? 0
            if count == 0 { return "none" }
            return try "\(Int.fetchOne(db, sql: "SELECT count(*) FROM other") ?? -1) others"
        }
        let cancellable = start(observation, in: database, received)
        try eventually { received.all == ["none"] && database.status().observations?.active == 1 }
        try insert(1, of: database)
        try eventually { received.all.last == "0 others" }
        for expected in 1...10 {
            try insert(1, into: "other", of: database)
            try eventually { received.all.last == "\(expected) others" }
        }
        cancellable.cancel()
    }

    @Test(arguments: Kind.allCases)
    func onlyAnExplicitRegionIsTracked(kind: Kind) throws {
        let database = try makeDatabase(kind)
        let received = CollectedLines()
        let region = AnyDatabaseRegionConvertible { db in
            try db.makeStatement(sql: "SELECT * FROM other").databaseRegion
        }
        let observation = ValueObservation.tracking(region: region) { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM t") ?? -1
        }
        let cancellable = start(observation, in: database, received)
        try eventually { received.all == ["0"] && database.status().observations?.active == 1 }
        try insert(1, of: database)
        try insert(1, into: "other", of: database)
        try eventually { received.all == ["0", "1"] }
        cancellable.cancel()
    }

    @Test(arguments: Kind.allCases)
    func anErrorEndsTheObservation(kind: Kind) throws {
        let database = try makeDatabase(kind)
        let received = CollectedLines()
        let observation = ValueObservation.trackingConstantRegion { db in
            try Int.fetchOne(db, sql: "SELECT 1000 / count(*) FROM t WHERE v IS NOT 'x'") ?? -1
        }.map { value in
            if value == 500 { throw DatabaseError(resultCode: .SQLITE_ERROR, message: "half") }
            return value
        }
        let cancellable = start(observation, in: database, received)
        try eventually { received.all == ["-1"] && database.status().observations?.active == 1 }
        try insert(1, of: database)
        try eventually { received.all.count == 2 }
        try insert(2, of: database)
        try eventually { received.all.count == 3 }
        #expect(received.all[1] == "1000")
        #expect(received.all[2].contains("half"))
        try eventually { database.status().observations?.active == 0 }
        try insert(3, of: database)
        _ = try database.read { try Int.fetchOne($0, sql: "SELECT 1") }
        #expect(received.all.count == 3)
        cancellable.cancel()
    }

    @Test(arguments: Kind.allCases)
    func equalValuesAreRemoved(kind: Kind) throws {
        let database = try makeDatabase(kind)
        let received = CollectedLines()
        let observation = ValueObservation.trackingConstantRegion { db in
            try Int.fetchOne(db, sql: "SELECT max(v) FROM t") ?? -1
        }
        let cancellable = start(observation.removeDuplicates(), in: database, received)
        try eventually { received.all == ["-1"] && database.status().observations?.active == 1 }
        try insert(7, of: database)
        try eventually { received.all == ["-1", "7"] }
        try insert(3, of: database)
        try eventually { database.status().observations?.duplicates == 1 }
        try insert(9, of: database)
        try eventually { received.all == ["-1", "7", "9"] }
        cancellable.cancel()
    }

    @Test(arguments: Kind.allCases)
    func eventsAreReported(kind: Kind) throws {
        let database = try makeDatabase(kind)
        let (received, events) = (CollectedLines(), CollectedLines())
        let observation = Self.countObservation.handleEvents(
            willStart: { events.append("start") },
            willFetch: { events.append("fetch") },
            willTrackRegion: { events.append("region \($0)") },
            databaseDidChange: { events.append("change") },
            didReceiveValue: { events.append("value \($0)") },
            didFail: { events.append("failure \($0)") },
            didCancel: { events.append("cancel") }
        )
        let cancellable = start(observation, in: database, received)
        try eventually { received.all == ["0"] && database.status().observations?.active == 1 }
        try insert(1, of: database)
        try eventually { received.all == ["0", "1"] }
        cancellable.cancel()
        #expect(events.all.first == "start")
        #expect(
            events.all.sorted() == [
                "cancel", "change", "fetch", "fetch", "region t(*)", "start", "value 0", "value 1",
            ]
        )
    }

    @Test(arguments: Kind.allCases)
    func notifiedChangesAreFetched(kind: Kind) throws {
        let database = try makeDatabase(kind)
        let received = CollectedLines()
        let cancellable = start(Self.countObservation, in: database, received)
        try eventually { received.all == ["0"] && database.status().observations?.active == 1 }
        try database.write { db in try db.notifyChanges(in: .fullDatabase) }
        try eventually { received.all == ["0", "0"] }
        cancellable.cancel()
    }

    @MainActor @Test(arguments: Kind.allCases)
    func theFirstValueCanBeImmediate(kind: Kind) throws {
        let database = try makeDatabase(kind)
        var received: [Int] = []
        let cancellable = Self.countObservation.start(in: database, scheduling: .immediate) { _ in
        } onChange: {
            received.append($0)
        }
        #expect(received == [0])
        cancellable.cancel()
    }

    @Test func aSnapshotProvidesOneValue() throws {
        let pool = try DatabasePool.withTable(in: folder)
        let snapshot = try pool.makeSnapshot()
        let received = CollectedLines()
        let cancellable = start(Self.countObservation, in: snapshot, received)
        try eventually { received.all == ["0"] }
        try pool.write { try $0.insert(1) }
        _ = try snapshot.read { try Int.fetchOne($0, sql: "SELECT 1") }
        #expect(received.all == ["0"])
        cancellable.cancel()
    }

    @Test(arguments: Kind.allCases)
    func aFetchMayWriteIfDeclared(kind: Kind) throws {
        let database = try makeDatabase(kind)
        let received = CollectedLines()
        var observation = ValueObservation.trackingConstantRegion { db in
            try db.execute(sql: "INSERT INTO other VALUES (1)")
            return try Int.fetchOne(db, sql: "SELECT count(*) FROM t") ?? -1
        }
        observation.requiresWriteAccess = true
        let cancellable = start(observation, in: database, received)
        try eventually { received.all == ["0"] && database.status().observations?.active == 1 }
        try insert(1, of: database)
        try eventually { received.all == ["0", "1"] }
        cancellable.cancel()
        let writtenCount = try database.read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM other")
        }
        #expect(writtenCount == 2)
    }
}
