import Dispatch
import SQLiteEngine
import Telemetry
import TestSupport
import Testing

/// Runs the samples in "Observing the database".
@Suite(.timeLimit(.minutes(1)))
struct DocumentedObservingTests {
    private typealias Player = DocumentedPlayer
    private let documented = DocumentedDatabase()
    private let queue = DispatchQueue(label: "notifications")

    // sample
    struct SQLRequestRegion: DatabaseRegionConvertible {
        let sql: String

        init(_ sql: String) { self.sql = sql }

        func databaseRegion(_ db: Database) throws -> DatabaseRegion {
            try db.makeStatement(sql: sql).databaseRegion
        }
    }
    // end

    // sample
    final class PlayerGuard: TransactionObserver {
        private var deletions = 0

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
            if case .delete(tableName: "player") = eventKind { return true }
            return false
        }

        func databaseDidChange(with event: DatabaseEvent) { deletions += 1 }

        func databaseWillCommit() throws {
            if deletions > 10 { throw DatabaseError(message: "too many players deleted at once") }
        }

        func databaseDidCommit(_ db: Database) { deletions = 0 }
        func databaseDidRollback(_ db: Database) { deletions = 0 }
    }
    // end

    @Test func valuesInALoop() async throws {
        let pool = try documented.makePoolWithThreePlayers()
        let shown = Lock<[[String]]>([])
        @Sendable func show(_ players: [Player]) {
            shown.withLock { $0.append(players.map(\.name)) }
        }
        let watching = Task {
            // sample
            let observation = ValueObservation.tracking { db in
                try Player.fetchAll(db, sql: "SELECT * FROM player ORDER BY score DESC LIMIT 3")
            }
            for try await players in observation.values(in: pool) {
                show(players)
            }
            // end
        }
        try await eventuallyAsync { shown.withLock { $0.count == 1 } }
        try await pool.write { try $0.execute(sql: "DELETE FROM player WHERE name = 'Arthur'") }
        try await eventuallyAsync { shown.withLock { $0.last?.count == 2 } }
        watching.cancel()
        _ = await watching.result
        #expect(shown.withLock { $0.first } == ["Arthur", "Barbara", "Craig"])
    }

    @MainActor @Test func valuesInClosures() throws {
        let pool = try documented.makePoolWithThreePlayers()
        var shown: [[Player]] = []
        func show(_ players: [Player]) { shown.append(players) }
        let observation = ValueObservation.tracking { db in try Player.fetchAll(db) }
        // sample
        let cancellable = observation.start(in: pool, scheduling: .immediate) { error in
            print(error)
        } onChange: { players in
            show(players)
        }
        // end
        #expect(shown.map(\.count) == [3])
        cancellable.cancel()
    }

    @Test func sharedCounts() throws {
        let pool = try documented.makePoolWithThreePlayers()
        // sample
        let count =
            ValueObservation
            .trackingConstantRegion { db in
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? 0
            }
            .removeDuplicates()
        // end
        // sample
        let shared = count.shared(in: pool, scheduling: .async(onQueue: queue))
        // end
        let received = Lock<[Int]>([])
        let cancellables = (1...2).map { _ in
            shared.start(
                onError: { Issue.record($0) },
                onChange: { count in received.withLock { $0.append(count) } }
            )
        }
        try eventually { received.withLock { $0 == [3, 3] } }
        #expect(pool.status().observations?.fetchesOnReaders == 1)
        for cancellable in cancellables { cancellable.cancel() }
        let lines = Lock<[String]>([])
        func print(_ items: Any...) {
            let line = items.map { "\($0)" }.joined(separator: " ")
            lines.withLock { $0.append(line) }
        }
        // sample
        if let cost = pool.status().observations {
            print(cost.active, "observed,", cost.fetchesOnReaders, "fetched by readers")
        }
        // end
        #expect(lines.withLock { $0 } == ["0 observed, 1 fetched by readers"])
    }

    @Test func transactionsThatTouchARegion() throws {
        let pool = try documented.makePoolWithThreePlayers()
        let changes = Changes()
        // sample
        let players = SQLRequestRegion("SELECT * FROM player")
        let observation = DatabaseRegionObservation(tracking: players)
        let cancellable = observation.start(in: pool) { error in
            print(error)
        } onChange: { db in
            changes.append((try? Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")) ?? 0)
        }
        // end
        for _ in 1...3 {
            try pool.write { try $0.execute(sql: "INSERT INTO player (name) VALUES ('David')") }
        }
        #expect(changes.all == [4, 5, 6])
        cancellable.cancel()
    }

    /// The numbers that an observation reports on the writer.
    private final class Changes: Sendable {
        private let numbers = Lock<[Int]>([])
        var all: [Int] { numbers.withLock { $0 } }
        func append(_ number: Int) { numbers.withLock { $0.append(number) } }
    }

    @Test func everyChange() throws {
        let pool = try documented.makePool()
        let playerGuard = PlayerGuard()
        // sample
        pool.add(transactionObserver: playerGuard)
        // end
        try pool.write { db in
            for _ in 1...20 { try db.execute(sql: "INSERT INTO player (name) VALUES ('Arthur')") }
        }
        #expect(throws: DatabaseError.self) {
            try pool.write { try $0.execute(sql: "DELETE FROM player") }
        }
        try pool.write { try $0.execute(sql: "DELETE FROM player WHERE id <= 10") }
        let count = try pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM player") }
        #expect(count == 10)
    }

    @Test func unobservedChanges() throws {
        let pool = try documented.makePool()
        let received = Lock(0)
        let cancellable = ValueObservation.tracking { db in try Player.fetchAll(db) }
            .start(
                in: pool,
                scheduling: .async(onQueue: queue),
                onError: { Issue.record($0) },
                onChange: { _ in received.withLock { $0 += 1 } }
            )
        try eventually {
            received.withLock { $0 == 1 } && pool.status().observations?.active == 1
        }
        // sample
        try pool.write { db in
            try db.notifyChanges(in: .fullDatabase)
        }
        // end
        try eventually { received.withLock { $0 == 2 } }
        cancellable.cancel()
    }
}
