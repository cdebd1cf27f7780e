#if GRDB
import GRDB
import Telemetry

/// The properties of a database that do not change while it is open.
struct DatabaseIdentity: Sendable {
    /// The configuration's label, or GRDB's name for the type of the database.
    let label: String
    let kind: DatabaseKind
    /// The path of the file, or `nil` for a database in memory.
    let path: String?
    /// The journal mode after opening, or `nil` if it could not be read.
    let journalMode: String?
    /// The maximum number of readers, or `nil` for a queue.
    let maximumReaders: Int?

    init(of database: some DatabaseWriter) {
        let isPool = database is DatabasePool
        let type = isPool ? "GRDB.DatabasePool" : "GRDB.DatabaseQueue"
        label = database.configuration.label ?? type
        kind = isPool ? .pool : .queue
        maximumReaders = isPool ? database.configuration.maximumReaderCount : nil
        let isInMemory = database.path == ":memory:" || database.path.contains("mode=memory")
        path = isInMemory ? nil : database.path
        journalMode = try? database.writeWithoutTransaction { db in
            try String.fetchOne(db, sql: "PRAGMA journal_mode")
        }
    }
}
#endif
