import SQLiteEngine
import Telemetry
import TestSupport
import Testing

/// Runs the samples in "Concurrency".
@Suite(.timeLimit(.minutes(1)))
struct DocumentedConcurrencyTests {
    private let documented = DocumentedDatabase()

    private func count(in reader: any DatabaseReader) throws -> Int? {
        try reader.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM player") }
    }

    @Test func awaitedAccesses() async throws {
        let pool = try documented.makePoolWithThreePlayers()
        // sample
        let count = try await pool.read { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? 0
        }
        // end
        #expect(count == 3)
        // sample
        try await pool.write { db in
            let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? 0
            guard count < 10 else { return }
            try db.execute(sql: "INSERT INTO player (name) VALUES ('Arthur')")
        }
        // end
        #expect(try self.count(in: pool) == 4)
    }

    @Test func transactions() throws {
        let pool = try documented.makePoolWithThreePlayers()
        // sample
        try pool.writeWithoutTransaction { db in
            try db.inTransaction {
                try db.execute(sql: "UPDATE player SET score = 0")
                return .commit
            }
            try db.execute(sql: "VACUUM")
        }
        // end
        let best = try pool.read { try Int.fetchOne($0, sql: "SELECT MAX(score) FROM player") }
        #expect(best == 0)
        // sample
        try pool.write { db in
            try db.execute(sql: "INSERT INTO player (name) VALUES ('Arthur')")
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO player (name) VALUES ('Barbara')")
                return .rollback
            }
        }
        // end
        #expect(try count(in: pool) == 4)
    }

    @Test func snapshots() throws {
        let pool = try documented.makePoolWithThreePlayers()
        // sample
        let snapshot = try pool.makeSnapshot()
        try pool.write { db in try db.execute(sql: "DELETE FROM player") }
        let before = try snapshot.read { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player")
        }
        // end
        #expect(before == 3)
        #expect(try count(in: pool) == 0)
    }

    @Test func concurrentReads() throws {
        let pool = try documented.makePoolWithThreePlayers()
        let reported = Lock<[Int]>([])
        @Sendable func report(_ count: Int) { reported.withLock { $0.append(count) } }
        // sample
        try pool.writeWithoutTransaction { db in
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO player (name) VALUES ('Craig')")
                return .commit
            }
            pool.asyncConcurrentRead { result in
                do {
                    let db = try result.get()
                    report(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM player") ?? 0)
                } catch {
                    print(error)
                }
            }
            // The read observes the state before this insertion.
            try db.execute(sql: "INSERT INTO player (name) VALUES ('David')")
        }
        // end
        try eventually { reported.withLock { $0 == [4] } }
        #expect(try count(in: pool) == 5)
    }

    @Test func canceling() async throws {
        let pool = try documented.makePoolWithThreePlayers()
        // sample
        let search = Task {
            try await pool.read { db in
                try String.fetchAll(db, sql: "SELECT name FROM player WHERE name LIKE '%a%'")
            }
        }
        search.cancel()
        // end
        // The access may have ended before the task was canceled.
        switch await search.result {
        case .success(let names): #expect(names.count == 3)
        case .failure(let error): #expect(error is CancellationError)
        }
    }

    @Test func interrupting() throws {
        let gate = StatementGate()
        var configuration = Configuration()
        configuration.prepareDatabase { gate.install(on: $0) }
        let pool = try DatabasePool(path: documented.path, configuration: configuration)
        let endlessQuery = StatementGate.longQuery
        let printed = Lock<[String]>([])
        @Sendable func print(_ line: String) { printed.withLock { $0.append(line) } }
        let reading = Background {
            // sample
            do {
                try pool.read { db in
                    try db.execute(sql: endlessQuery)
                }
            } catch let error as DatabaseError where error.isInterruptionError {
                print("Another thread called interrupt().")
            }
            // end
        }
        try gate.awaitStatement()
        pool.interrupt()
        gate.resume()
        try reading.value()
        #expect(printed.withLock { $0.count } == 1)
    }
}
