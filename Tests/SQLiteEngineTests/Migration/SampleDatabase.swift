// The tests in this folder run the code samples from GRDB's documentation. The samples are extended
// to complete programs that change only the import and use only public API.

import Foundation
import SQLiteEngine
import Telemetry
import TestSupport
import Testing

/// A player in the samples.
///
/// The samples create a player from a name and insert it in place.
struct SamplePlayer: Codable, Equatable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "player"
    var name: String
}

/// A payment to an account.
struct Credit: Codable, Equatable, FetchableRecord, PersistableRecord {
    var account: String
    var amount: Int

    init(_ account: String, _ amount: Int) {
        self.account = account
        self.amount = amount
    }
}

/// A payment from an account.
///
/// The table rejects a negative amount.
struct Debit: Codable, Equatable, FetchableRecord, PersistableRecord {
    var account: String
    var amount: Int

    init(_ account: String, _ amount: Int) {
        self.account = account
        self.amount = amount
    }
}

/// The databases that the samples use.
struct SampleDatabase {
    let folder = TemporaryFolder()

    var path: String { folder.file("database.sqlite") }

    /// Returns an empty database in memory.
    func makeQueue() throws -> DatabaseQueue {
        let dbQueue = try DatabaseQueue()
        try dbQueue.write(createTables)
        return dbQueue
    }

    /// Returns an empty database in a file.
    func makePool(configuration: Configuration = Configuration()) throws -> DatabasePool {
        let dbPool = try DatabasePool(path: path, configuration: configuration)
        try dbPool.write(createTables)
        return dbPool
    }

    /// Returns a queue and a pool, for samples that specify neither.
    func makeWriters() throws -> [any DatabaseWriter] { [try makeQueue(), try makePool()] }

    /// Returns a queue, a pool, and its snapshots, each with two players.
    func makeReaders() throws -> [any DatabaseReader] {
        let dbQueue = try makeQueue()
        let dbPool = try makePool()
        for writer in [dbQueue, dbPool] as [any DatabaseWriter] {
            try writer.write { db in
                try SamplePlayer(name: "Arthur").insert(db)
                try SamplePlayer(name: "Barbara").insert(db)
            }
        }
        return [dbQueue, dbPool, try dbPool.makeSnapshot(), try dbPool.makeSnapshotPool()]
    }

    private func createTables(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                CREATE TABLE credit (account TEXT, amount INTEGER);
                CREATE TABLE debit (account TEXT, amount INTEGER CHECK (amount >= 0));
                """
        )
    }
}

/// An interruption of the next insertion of a player.
final class Interruption: Sendable {
    private let isArmed = Lock(false)

    func arm() { isArmed.withLock { $0 = true } }

    func install(in writer: any DatabaseWriter) throws {
        let function = DatabaseFunction("interrupt_if_armed", argumentCount: 0) {
            [self, weak writer] _ in
            let isArmed = isArmed.withLock { armed in
                defer { armed = false }
                return armed
            }
            if isArmed { writer?.interrupt() }
            return nil
        }
        try writer.writeWithoutTransaction { db in
            db.add(function: function)
            // SQLite checks for interrupts in loops.
            try db.execute(
                sql: """
                    CREATE TEMP TRIGGER interrupting BEFORE INSERT ON player BEGIN
                        SELECT interrupt_if_armed() FROM (VALUES (1), (2), (3), (4));
                    END
                    """
            )
        }
    }
}

/// The outcome of a callback, for which a test can wait.
final class Outcome<Value: Sendable>: Sendable {
    private let result = Lock<Result<Value, any Error>?>(nil)
    private let gate = Gate()

    func set(_ body: () throws -> Value) {
        let value = Result { try body() }
        result.withLock { $0 = value }
        gate.open()
    }

    func get() throws -> Value {
        try gate.wait()
        return try #require(result.withLock { $0 }).get()
    }
}
