import Foundation
import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests that opening a database creates a missing or empty `-wal` file.
@Suite(.timeLimit(.minutes(1)))
struct LogCreationTests {
    /// The connection that creates the file.
    enum Opener: CaseIterable {
        case pool, queue

        func open(_ path: String, _ configuration: Configuration) throws -> any DatabaseWriter {
            var configuration = configuration
            switch self {
            case .pool: return try DatabasePool(path: path, configuration: configuration)
            case .queue:
                configuration.journalMode = .wal
                return try DatabaseQueue(path: path, configuration: configuration)
            }
        }
    }

    private let folder = TemporaryFolder()

    /// Returns a connection to a database in WAL mode with an empty `-wal` file.
    private func makeOtherConnection() throws -> DatabaseQueue {
        let queue = try DatabaseQueue(
            path: folder.file(),
            configuration: .with { $0.journalMode = .wal }
        )
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (v UNIQUE); PRAGMA user_version = 1")
        }
        try queue.inDatabase { db in _ = try db.checkpoint(.truncate) }
        #expect(logSize() == 0)
        return queue
    }

    private func logSize() -> Int? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: folder.file() + "-wal")
        return attributes?[.size] as? Int
    }

    private func pragmaValue(_ db: Database, _ pragma: String = "user_version") throws -> Int? {
        try Int.fetchOne(db, sql: "PRAGMA \(pragma)")
    }

    @Test(arguments: Opener.allCases)
    func theUserVersionOfAnotherConnectionIsKept(opener: Opener) throws {
        let other = try makeOtherConnection()
        let commits = Lock(0)
        // Before each statement of the opening connection, the other connection commits a new
        // version, unless the opening connection holds the write lock.
        let configuration = Configuration.with {
            $0.prepareDatabase { db in
                guard !db.isReadOnlyConnection else { return }
                db.trace { _ in
                    try? other.inDatabase { other in
                        let next = try (pragmaValue(other) ?? 0) + 1
                        try other.execute(sql: "PRAGMA user_version = \(next)")
                        commits.withLock { $0 += 1 }
                        _ = try? other.checkpoint(.truncate)
                    }
                }
            }
        }
        let opened = try opener.open(folder.file(), configuration)
        opened.writeWithoutTransaction { db in db.trace() }
        let count = commits.withLock { $0 }
        #expect(count > 0)
        #expect(try opened.read { db in try pragmaValue(db) } == 1 + count)
    }

    @Test(arguments: Opener.allCases)
    func otherConnectionsObserveNoChange(opener: Opener) throws {
        let other = try makeOtherConnection()
        let observedValues = { () throws -> [Int?] in
            try other.inDatabase { db in
                try ["data_version", "schema_version", "user_version", "page_count"]
                    .map { try pragmaValue(db, $0) }
            }
        }
        let valuesBefore = try observedValues()
        let opened = try opener.open(folder.file(), Configuration())
        #expect(logSize() ?? 0 > 0)
        #expect(try observedValues() == valuesBefore)
        // Afterward, the log works as usual for both connections.
        try other.write { db in try db.insert(1) }
        try opened.write { db in try db.insert(2) }
        #expect(try opened.read { db in try db.rowCount() } == 2)
        #expect(try other.rowCount() == 2)
        let check = try opened.read { db in
            try String.fetchOne(db, sql: "PRAGMA integrity_check")
        }
        #expect(check == "ok")
    }

    @Test(arguments: Opener.allCases)
    func aReadOnlyPoolCanReadTheLog(opener: Opener) throws {
        let opened = try opener.open(folder.file(), Configuration())
        #expect(logSize() ?? 0 > 0)
        try opened.write { db in try db.execute(sql: "CREATE TABLE t (v UNIQUE)") }
        try opened.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
        let pool = try DatabasePool(
            path: folder.file(),
            configuration: .with { $0.readonly = true }
        )
        #expect(try pool.rowCount() == 0)
    }

    @Test(arguments: Opener.allCases)
    func openingSucceedsWhileAnotherConnectionHoldsTheWriteLock(opener: Opener) throws {
        let other = try makeOtherConnection()
        try other.write { db in
            let opened = try opener.open(folder.file(), Configuration())
            #expect(try opened.read { db in try db.rowCount() } == 0)
            try db.insert(1)
        }
        #expect(try other.rowCount() == 1)
    }

    @Test func observersAreNotNotifiedOfTheCreation() throws {
        let other = try makeOtherConnection()
        defer { withExtendedLifetime(other) {} }
        let observer = UncheckedBox(RecordingObserver())
        let configuration = Configuration.with {
            $0.prepareDatabase { db in
                guard !db.isReadOnlyConnection, let observer = observer.value else { return }
                db.add(transactionObserver: observer)
            }
        }
        let pool = try DatabasePool(path: folder.file(), configuration: configuration)
        #expect(logSize() ?? 0 > 0)
        #expect(observer.value?.takeLog() == [])
        try pool.write { db in try db.insert(1) }
        #expect(observer.value?.log == ["insert t 1", "willCommit", "didCommit"])
    }

    @Test func openingLeavesTheSchemaUnchanged() throws {
        let pool = try DatabasePool(path: folder.file())
        let count = try pool.read { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master")
        }
        #expect(count == 0)
        #expect(try pool.read { db in try pragmaValue(db, "schema_version") } == 0)
    }
}
