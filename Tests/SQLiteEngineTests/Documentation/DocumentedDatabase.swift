import SQLiteEngine
import TestSupport

// The tests in this folder run the samples from the documentation. ArticleSamplesTests compares the
// samples with the documentation.

/// The database that the samples use.
struct DocumentedDatabase {
    let folder = TemporaryFolder()

    var path: String { folder.file("app.sqlite") }

    /// Returns a pool with an empty table of players.
    func makePool() throws -> DatabasePool {
        let pool = try DatabasePool(path: path)
        try pool.write(createTable)
        return pool
    }

    /// Returns a pool with three players.
    func makePoolWithThreePlayers() throws -> DatabasePool {
        let pool = try makePool()
        try pool.write { db in
            try db.execute(
                sql: """
                    INSERT INTO player (name, score)
                    VALUES ('Arthur', 1000), ('Barbara', 500), ('Craig', 300)
                    """
            )
        }
        return pool
    }

    /// Creates the table of players.
    func createTable(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS player (
                    id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER NOT NULL DEFAULT 0
                )
                """
        )
    }
}

/// A player, for samples that do not define one.
struct DocumentedPlayer: Codable, Equatable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "player"
    var name: String
    var score: Int
}
