import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests that databases of any page size can be erased.
@Suite(.timeLimit(.minutes(1)))
struct EraseTests {
    /// The kind of database to erase.
    enum Kind: CaseIterable {
        case queue, walQueue, pool

        func open(_ path: String, pageSize: Int) throws -> any DatabaseWriter {
            var configuration = Configuration()
            configuration.prepareDatabase { db in
                guard !db.isReadOnlyConnection else { return }
                try db.execute(sql: "PRAGMA page_size = \(pageSize)")
            }
            switch self {
            case .queue: return try DatabaseQueue(path: path, configuration: configuration)
            case .walQueue:
                configuration.journalMode = .wal
                return try DatabaseQueue(path: path, configuration: configuration)
            case .pool: return try DatabasePool(path: path, configuration: configuration)
            }
        }
    }

    private let folder = TemporaryFolder()

    private func pragma(_ writer: any DatabaseWriter, _ name: String) throws -> String? {
        try writer.writeWithoutTransaction { db in
            try String.fetchOne(db, sql: "PRAGMA \(name)")
        }
    }

    @Test(arguments: Kind.allCases, [512, 4_096, 8_192, 65_536])
    func erasingKeepsThePageSizeAndTheJournalMode(kind: Kind, pageSize: Int) throws {
        let writer = try kind.open(folder.file(), pageSize: pageSize)
        try writer.write { db in
            try db.execute(sql: "CREATE TABLE t (v UNIQUE)")
            for number in 0..<2_000 { try db.insert(number) }
        }
        #expect(try pragma(writer, "page_size") == "\(pageSize)")
        let mode = try pragma(writer, "journal_mode")
        for _ in 0..<2 {
            try writer.erase()
            #expect(try pragma(writer, "page_size") == "\(pageSize)")
            #expect(try pragma(writer, "journal_mode") == mode)
            let count = try writer.read { db in
                try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master")
            }
            #expect(count == 0)
            try writer.write { db in try db.execute(sql: "CREATE TABLE t (v UNIQUE)") }
        }
    }

    @Test func anInMemoryDatabaseCanBeErased() throws {
        let queue = try DatabaseQueue(
            configuration: .with {
                $0.prepareDatabase { db in try db.execute(sql: "PRAGMA page_size = 1024") }
            }
        )
        try queue.write { db in try db.execute(sql: "CREATE TABLE t (v UNIQUE)") }
        try queue.erase()
        #expect(throws: DatabaseError.self) { try queue.rowCount() }
    }
}
