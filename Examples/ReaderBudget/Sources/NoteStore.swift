import Foundation
import SQLiteEngine

/// A note in the database.
public struct Note: Codable, Sendable, FetchableRecord, MutablePersistableRecord {
    /// The key, or `nil` before the note is inserted.
    public var id: Int64?
    /// The content of the note.
    public var text: String

    /// Creates a note that is not in the database yet.
    public init(text: String) {
        self.text = text
    }

    /// Stores the key that SQLite assigned.
    public mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// A store that saves notes and renders them as pages.
public final class NoteStore: Sendable {
    /// The pool, exposed so that tests can observe its status.
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

    /// Renders all notes as one page after releasing the reader.
    public func page(_ layOut: ([Note]) -> String) throws -> String {
        let notes = try pool.read { db in try Note.fetchAll(db) }
        return layOut(notes)
    }

    /// Renders all notes as one page while holding the reader.
    ///
    /// No other access can use the reader until the page is complete.
    public func pageInsideTheAccess(
        _ layOut: ([Note]) -> String
    ) throws -> String {
        try pool.read { db in layOut(try Note.fetchAll(db)) }
    }
}
