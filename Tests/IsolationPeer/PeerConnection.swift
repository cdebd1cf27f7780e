import Isolation
import SQLiteEngine

/// A connection to the database through bare SQLite or through this engine.
struct PeerConnection {
    enum Kind {
        case deferred
        case immediate
    }

    private enum Server {
        case sqlite(RawPeer)
        case engine(any DatabaseWriter)
    }

    private let server: Server

    /// Opens an existing database.
    ///
    /// - Parameters:
    ///   - kind: `sqlite`, `pool`, `queue`, or `wal-queue`.
    ///   - path: The path of the database.
    /// - Throws: An error if the database cannot be opened.
    init(kind: String, path: String) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
        switch kind {
        case "pool": server = .engine(try DatabasePool(path: path, configuration: configuration))
        case "queue": server = .engine(try DatabaseQueue(path: path, configuration: configuration))
        case "wal-queue":
            configuration.journalMode = .wal
            server = .engine(try DatabaseQueue(path: path, configuration: configuration))
        default: server = .sqlite(try RawPeer(path: path))
        }
    }

    /// Runs a transaction, and rolls it back if an error occurs.
    func transaction(_ kind: Kind, _ body: (any ObjectStore) throws -> Void) throws {
        switch server {
        case .sqlite(let raw):
            try raw.transaction(kind == .deferred ? "BEGIN DEFERRED" : "BEGIN IMMEDIATE", body)
        case .engine(let writer):
            try writer.writeWithoutTransaction { db in
                try db.inTransaction(kind == .deferred ? .deferred : .immediate) {
                    try body(db)
                    return .commit
                }
            }
        }
    }

    /// Restarts the write-ahead log unless another connection blocks the checkpoint.
    func checkpoint() {
        switch server {
        case .sqlite(let raw): _ = try? raw.value("PRAGMA wal_checkpoint(TRUNCATE)", [])
        case .engine(let writer):
            _ = try? writer.writeWithoutTransaction { db in try db.checkpoint(.truncate) }
        }
    }
}
