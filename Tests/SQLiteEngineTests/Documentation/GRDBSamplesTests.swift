import SQLiteEngine
import Telemetry
import TestSupport
import Testing

/// Runs the access functions in the code samples of GRDB's documentation.
///
/// The samples change only the import and use only public API.
@Suite(.timeLimit(.minutes(1)))
struct GRDBSamplesTests {
    private let documented = DocumentedDatabase()

    /// A player that the samples create from a name.
    private struct Player: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "player"
        var name: String
    }

    /// Returns a queue in memory and a pool, each with the table `player`.
    private func makeWriters() throws -> [any DatabaseWriter] {
        let writers: [any DatabaseWriter] = [
            try DatabaseQueue(), try DatabasePool(path: documented.path),
        ]
        for writer in writers {
            try writer.write { db in
                try db.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
            }
        }
        return writers
    }

    @Sendable private static func insert(_ db: Database) throws -> Int {
        try Player(name: "Arthur").insert(db)
        return try Player.fetchCount(db)
    }

    /// Waits for a callback that receives a connection.
    private func count(
        of access: (@escaping @Sendable (Result<Database, any Error>) -> Void) -> Void,
        _ body: @escaping @Sendable (Database) throws -> Int
    ) throws -> Int {
        let isDone = Gate()
        let count = Lock<Result<Int, any Error>?>(nil)
        access { db in
            let result = Result { try body(db.get()) }
            count.withLock { $0 = result }
            isDone.open()
        }
        try isDone.wait()
        return try #require(count.withLock { $0 }).get()
    }

    /// Returns the numbers of players that synchronous reads count.
    private func synchronousCounts(_ reader: any DatabaseReader) throws -> [Int] {
        let body = { @Sendable (db: Database) in try Player.fetchCount(db) }
        return [
            try reader.read(body),
            try reader.unsafeRead(body),
            try reader.read { _ in try reader.unsafeReentrantRead(body) },
            try count(of: { reader.asyncRead($0) }, body),
            try count(of: { reader.asyncUnsafeRead($0) }, body),
        ]
    }

    @Test func everyReaderReads() async throws {
        let writers = try makeWriters()
        for writer in writers { _ = try await writer.write(Self.insert) }
        let pool = try #require(writers.last as? DatabasePool)
        let readers: [any DatabaseReader] = [
            writers[0], pool, try pool.makeSnapshot(), try pool.makeSnapshotPool(),
            try DatabaseSnapshotPool(path: documented.path),
            try await pool.read { db in try DatabaseSnapshotPool(db) },
        ]
        for reader in readers {
            try #expect(synchronousCounts(reader) == [1, 1, 1, 1, 1])
            try await #expect(reader.read { db in try Player.fetchCount(db) } == 1)
            try await #expect(reader.unsafeRead { db in try Player.fetchCount(db) } == 1)
            let copy = try DatabaseQueue()
            try reader.backup(to: copy)
            try await #expect(copy.read { db in try Player.fetchCount(db) } == 1)
        }
    }

    /// Adds one player in each synchronous write, and returns the number of players after each.
    private func synchronousWrites(_ writer: any DatabaseWriter) throws -> [Int] {
        [
            try writer.write(Self.insert),
            try writer.writeWithoutTransaction(Self.insert),
            try writer.barrierWriteWithoutTransaction(Self.insert),
            try writer.write { _ in try writer.unsafeReentrantWrite(Self.insert) },
            try count(of: { writer.asyncBarrierWriteWithoutTransaction($0) }, Self.insert),
            try count(
                of: { done in writer.asyncWriteWithoutTransaction { done(.success($0)) } },
                Self.insert
            ),
            try count(
                of: { done in
                    writer.asyncWrite(Self.insert) { db, result in done(result.map { _ in db }) }
                },
                { db in try Player.fetchCount(db) }
            ),
        ]
    }

    @Test func everyWriterWrites() async throws {
        for writer in try makeWriters() {
            try #expect(synchronousWrites(writer) == [1, 2, 3, 4, 5, 6, 7])
            try await #expect(writer.write(Self.insert) == 8)
            try await #expect(writer.writeWithoutTransaction(Self.insert) == 9)
            try await #expect(writer.barrierWriteWithoutTransaction(Self.insert) == 10)
            try await writer.vacuum()
            try await writer.erase()
            try await #expect(writer.read { db in try db.tableExists("player") } == false)
        }
    }
}
