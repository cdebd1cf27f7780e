import SQLiteEngine

/// The record type that the tests in this folder use.
///
/// SQLite assigns the key of a new player.
struct Player: Codable, Hashable, Identifiable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var name: String
    var score = 0

    enum Columns {
        static let name = Column(CodingKeys.name)
        static let score = Column(CodingKeys.score)
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

extension Player {
    /// Returns an in-memory queue with an empty table of players.
    static func makeEmptyQueue() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { try createTable($0) }
        return queue
    }

    static func createTable(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE player (
                    id INTEGER PRIMARY KEY,
                    name TEXT NOT NULL UNIQUE,
                    score INTEGER NOT NULL DEFAULT 0
                )
                """
        )
    }
}
