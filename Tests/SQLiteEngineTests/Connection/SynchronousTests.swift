import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests the value of `synchronous`: SQLite's default, the engine's setting, and the user's
/// setting.
@Suite(.timeLimit(.minutes(1)))
struct SynchronousTests {
    /// The values as SQLite numbers them (https://sqlite.org/pragma.html#pragma_synchronous).
    private static let values = ["OFF": 0, "NORMAL": 1, "FULL": 2, "EXTRA": 3]

    private let folder = TemporaryFolder()

    private func makeConfiguration(
        _ value: String? = nil,
        journalMode: Configuration.JournalModeConfiguration = .default
    ) -> Configuration {
        .with {
            $0.journalMode = journalMode
            guard let value else { return }
            $0.prepareDatabase { db in try db.execute(sql: "PRAGMA synchronous = \(value)") }
        }
    }

    private func synchronousValue(_ writer: some DatabaseWriter) throws -> Int? {
        try writer.writeWithoutTransaction { db in
            try Int.fetchOne(db, sql: "PRAGMA synchronous")
        }
    }

    @Test(arguments: values.keys.sorted())
    func aPoolKeepsAnExplicitValue(value: String) throws {
        let pool = try DatabasePool(path: folder.file(), configuration: makeConfiguration(value))
        #expect(try synchronousValue(pool) == Self.values[value])
        // The database is already in WAL mode.
        try pool.close()
        let reopened = try DatabasePool(
            path: folder.file(),
            configuration: makeConfiguration(value)
        )
        #expect(try synchronousValue(reopened) == Self.values[value])
    }

    @Test(arguments: values.keys.sorted())
    func aQueueInWALModeKeepsAnExplicitValue(value: String) throws {
        let configuration = makeConfiguration(value, journalMode: .wal)
        let queue = try DatabaseQueue(path: folder.file(), configuration: configuration)
        #expect(try synchronousValue(queue) == Self.values[value])
        try queue.close()
        let reopened = try DatabaseQueue(path: folder.file(), configuration: configuration)
        #expect(try synchronousValue(reopened) == Self.values[value])
    }

    @Test func theDefaultIsNormalInWALModeAndFullOtherwise() throws {
        let pool = try DatabasePool(path: folder.file("pool"))
        #expect(try synchronousValue(pool) == 1)
        let queue = try DatabaseQueue(
            path: folder.file("wal"),
            configuration: makeConfiguration(journalMode: .wal)
        )
        #expect(try synchronousValue(queue) == 1)
        let rollbackQueue = try DatabaseQueue(path: folder.file("rollback"))
        #expect(try synchronousValue(rollbackQueue) == 2)
    }

    @Test func closuresRunAfterTheSettingAndCanConfigureANewFile() throws {
        let foundValues = CollectedLines()
        let configuration = Configuration.with {
            $0.prepareDatabase { db in
                guard !db.isReadOnlyConnection else { return }
                let value = try Int.fetchOne(db, sql: "PRAGMA synchronous")
                foundValues.append("\(value ?? -1)")
                try db.execute(sql: "PRAGMA page_size = 8192; PRAGMA encoding = 'UTF-16le'")
            }
        }
        let pool = try DatabasePool(path: folder.file(), configuration: configuration)
        #expect(foundValues.all == ["1"])
        try pool.write { db in
            try db.execute(sql: "CREATE TABLE t (v)")
            #expect(try Int.fetchOne(db, sql: "PRAGMA page_size") == 8_192)
            #expect(try String.fetchOne(db, sql: "PRAGMA encoding") == "UTF-16le")
        }
    }
}
