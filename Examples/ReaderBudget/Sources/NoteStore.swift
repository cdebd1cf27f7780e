import Foundation
import SQLiteEngine

/// A note, as the database has it.
public struct Note: Codable, Sendable, FetchableRecord, MutablePersistableRecord {
    /// The key; nil before the note is inserted.
    public var id: Int64?
    /// What the note says.
    public var text: String

    /// Creates a note that is not in the database yet.
    public init(text: String) {
        self.text = text
    }

    /// Takes the key that SQLite gave.
    public mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// Notes, and what a program makes of them.
public final class NoteStore: Sendable {
    /// The pool, for those who watch it.
    public let pool: DatabasePool

    /// Opens a store with two readers.
    public init(path: String) throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 2
        pool = try DatabasePool(path: path, configuration: configuration)
        try pool.write { db in
            try db.execute(
                sql: "CREATE TABLE IF NOT EXISTS note (id INTEGER PRIMARY KEY, text TEXT NOT NULL)"
            )
        }
    }

    /// Adds a note.
    public func add(_ text: String) throws {
        try pool.write { db in
            var note = Note(text: text)
            try note.insert(db)
        }
    }

    /// All notes as one page, which takes its time: the reader is back in the pool by then.
    public func page(_ layOut: ([Note]) -> String) throws -> String {
        let notes = try pool.read { db in try Note.fetchAll(db) }
        return layOut(notes)
    }

    /// The same page, laid out while the reader is held: nobody else can have it.
    public func pageInsideTheAccess(
        _ layOut: ([Note]) -> String
    ) throws -> String {
        try pool.read { db in layOut(try Note.fetchAll(db)) }
    }
}
