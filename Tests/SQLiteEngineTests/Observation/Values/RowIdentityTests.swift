import Dispatch
import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Observations of a row by its key, which the row can lose without an event for its rowid.
@Suite(.timeLimit(.minutes(1)))
struct RowIdentityTests {
    private struct Player: Codable, FetchableRecord, PersistableRecord {
        var id: Int
        var name: String
    }

    private let folder = TemporaryFolder()

    private func makePool(_ extra: String = "") throws -> DatabasePool {
        let pool = try DatabasePool(path: folder.file())
        try pool.write {
            try $0.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE);
                    CREATE TABLE other (name TEXT);
                    INSERT INTO player VALUES (1, 'a'), (2, 'b'); \(extra)
                    """
            )
        }
        return pool
    }

    private func observe(
        _ pool: DatabasePool,
        _ values: CollectedLines
    ) -> AnyDatabaseCancellable {
        ValueObservation.tracking { try Player.fetchOne($0, key: 1)?.name }.start(
            in: pool,
            scheduling: .async(onQueue: DispatchQueue(label: "player")),
            onError: { values.append("error: \($0)") },
            onChange: { values.append($0 ?? "nil") }
        )
    }

    @Test(arguments: [
        "UPDATE player SET id = 5 WHERE id = 1", "UPDATE player SET id = id + 10",
        "UPDATE player SET rowid = 5 WHERE rowid = 1", "REPLACE INTO player VALUES (7, 'a')",
        "INSERT OR REPLACE INTO player VALUES (7, 'a')",
        "UPDATE OR REPLACE player SET name = 'a' WHERE id = 2",
        "SAVEPOINT s; REPLACE INTO player VALUES (7, 'a'); RELEASE s",
        "INSERT INTO other VALUES ('a')",
    ])
    func theObservationReportsThatTheRowIsGone(sql: String) throws {
        let pool = try makePool(
            """
            CREATE TRIGGER copy AFTER INSERT ON other
            BEGIN INSERT OR REPLACE INTO player VALUES (9, new.name); END
            """
        )
        let values = CollectedLines()
        let cancellable = observe(pool, values)
        try eventually { values.all == ["a"] }
        try pool.write { try $0.execute(sql: sql) }
        try eventually { values.all == ["a", "nil"] }
        cancellable.cancel()
    }

    @Test func aConflictClauseOfTheTableReplacesTheRow() throws {
        let pool = try DatabasePool(path: folder.file("clause.sqlite"))
        try pool.write {
            try $0.execute(
                sql: """
                    CREATE TABLE player (
                        id INTEGER PRIMARY KEY, name TEXT UNIQUE ON CONFLICT REPLACE
                    );
                    INSERT INTO player VALUES (1, 'a')
                    """
            )
        }
        let values = CollectedLines()
        let cancellable = observe(pool, values)
        try eventually { values.all == ["a"] }
        try pool.write { try $0.execute(sql: "INSERT INTO player VALUES (7, 'a')") }
        try eventually { values.all == ["a", "nil"] }
        cancellable.cancel()
    }

    /// The update changes only a column that the observation does not read.
    @Test func anUpdateOfAnotherColumnReplacesTheRow() throws {
        let pool = try DatabasePool(path: folder.file("column.sqlite"))
        try pool.write {
            try $0.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, email TEXT UNIQUE);
                    INSERT INTO player VALUES (1, 'a', 'x'), (2, 'b', 'y')
                    """
            )
        }
        let values = CollectedLines()
        let cancellable = ValueObservation.tracking { db in
            try String.fetchOne(db, sql: "SELECT name FROM player WHERE id = 1")
        }
        .start(
            in: pool,
            scheduling: .async(onQueue: DispatchQueue(label: "player")),
            onError: { values.append("error: \($0)") },
            onChange: { values.append($0 ?? "nil") }
        )
        try eventually { values.all == ["a"] }
        try pool.write {
            try $0.execute(sql: "UPDATE OR REPLACE player SET email = 'x' WHERE id = 2")
        }
        try eventually { values.all == ["a", "nil"] }
        cancellable.cancel()
    }

    /// Changes of other rows that cannot affect the row still cause no fetch.
    @Test func unrelatedChangesAreNotReported() throws {
        let pool = try makePool()
        let values = CollectedLines()
        let cancellable = observe(pool, values)
        try eventually { values.all == ["a"] }
        let fetches = try #require(pool.status().observations?.fetchesOnReaders)
        try pool.write {
            try $0.execute(
                sql: """
                    UPDATE player SET name = 'c' WHERE id = 2; INSERT INTO player VALUES (3, 'd');
                    DELETE FROM player WHERE id = 3
                    """
            )
        }
        try pool.write { try $0.execute(sql: "UPDATE player SET name = 'e' WHERE id = 1") }
        try eventually { values.all.last == "e" }
        #expect(values.all == ["a", "e"])
        #expect(pool.status().observations?.fetchesOnReaders == fetches + 1)
        cancellable.cancel()
    }
}
