import EngineMigrations
import Foundation
import SQLiteEngine
import Synchronization
import TestSupport
import Testing

/// Tests what a migrator of this engine does, and a migrator of GRDB does not.
///
/// ``MigrationProgramTests`` tests what both do.
@Suite(.timeLimit(.minutes(1)))
struct DatabaseMigratorTests {
    private let folder = TemporaryFolder()

    private func areForeignKeysEnabled(_ writer: any DatabaseWriter) throws -> Bool? {
        try writer.writeWithoutTransaction { try Bool.fetchOne($0, sql: "PRAGMA foreign_keys") }
    }

    @Test(arguments: [false, true])
    func aMigrationThatAnotherProcessAppliesIsNotRepeated(usesPool: Bool) throws {
        let path = folder.file()
        let peer = try Peer([
            BuiltProgram.path(of: "MigrationPeer"), "engine", "held", path,
            usesPool ? "pool" : "queue",
        ])
        #expect(peer.waitForLine() == "held")
        var configuration = Configuration()
        // The other process holds the write lock until this process waits for it.
        let isReleased = Mutex(false)
        configuration.busyMode = .callback { _ in
            let isFirst = isReleased.withLock { isReleased in
                defer { isReleased = true }
                return !isReleased
            }
            if isFirst {
                try? peer.release()
                peer.wait()
            }
            return true
        }
        let writer: any DatabaseWriter =
            usesPool
            ? try DatabasePool(path: path, configuration: configuration)
            : try DatabaseQueue(path: path, configuration: configuration)
        let applied = Mutex<[String]>([])
        var migrator = DatabaseMigrator()
        for name in ["a", "b", "c"] {
            migrator.registerMigration(name) { db in
                applied.withLock { $0.append(name) }
                try db.execute(sql: "CREATE TABLE \(name) (id INTEGER PRIMARY KEY)")
            }
        }
        try migrator.migrate(writer)
        #expect(isReleased.withLock { $0 })
        #expect(applied.withLock { $0 } == ["c"])
        #expect(try writer.read { try migrator.appliedMigrations($0) } == ["a", "b", "c"])
        #expect(try areForeignKeysEnabled(writer) == true)
    }

    @Test func aCanceledMigrationIsRolledBack() async throws {
        let pool = try DatabasePool(path: folder.file())
        var migrator = DatabaseMigrator()
        migrator.registerMigration("a") { db in try db.execute(sql: "CREATE TABLE a (x)") }
        migrator.registerMigration("b") { db in
            try db.execute(sql: "CREATE TABLE b (x)")
            withUnsafeCurrentTask { $0?.cancel() }
            try db.execute(sql: "CREATE TABLE c (x)")
        }
        let task = Task { [migrator] in try await migrator.asyncMigrate(pool) }
        await #expect(throws: CancellationError.self) { try await task.value }
        let applied = try await pool.read { [migrator] in try migrator.appliedMigrations($0) }
        #expect(applied == ["a"])
        #expect(try await pool.read { db in try db.tableExists("b") } == false)
        #expect(try areForeignKeysEnabled(pool) == true)
    }

    @Test func anInterruptLeavesForeignKeysEnabled() throws {
        let queue = try DatabaseQueue(path: folder.file())
        var migrator = DatabaseMigrator()
        migrator.registerMigration("a") { db in
            queue.interrupt()
            try db.execute(sql: "CREATE TABLE a (x)")
            queue.interrupt()
            throw CancellationError()
        }
        #expect(throws: (any Error).self) { try migrator.migrate(queue) }
        #expect(try areForeignKeysEnabled(queue) == true)
    }

    @Test func aTaskMigrates() async throws {
        let queue = try DatabaseQueue()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("a") { db in try db.execute(sql: "CREATE TABLE a (x)") }
        try await migrator.asyncMigrate(queue)
        let hasCompleted = try await queue.read { [migrator] in
            try migrator.hasCompletedMigrations($0)
        }
        #expect(hasCompleted)
    }

    @Test func theStatusShowsWhereAMigrationWasStarted() throws {
        let queue = try DatabaseQueue()
        let holder = Mutex<String?>(nil)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("a") { _ in
            let connection = queue.status().connections.first
            holder.withLock { $0 = connection?.holder.map { "\($0)" } }
        }
        try migrator.migrate(queue)
        #expect(holder.withLock { $0 }?.contains("DatabaseMigratorTests.swift") == true)
    }

    @Test func misuseStopsTheProgram() async {
        await #expect(processExitsWith: .failure) {
            var migrator = DatabaseMigrator()
            migrator.registerMigration("a") { _ in }
            migrator.registerMigration("a") { _ in }
        }
        await #expect(processExitsWith: .failure) {
            var migrator = DatabaseMigrator()
            migrator.registerMigration("a") { _ in }
            try migrator.migrate(DatabaseQueue(), upTo: "b")
        }
        await #expect(processExitsWith: .failure) {
            var migrator = DatabaseMigrator()
            migrator.registerMigration("a") { _ in }
            migrator.registerMigration("b") { _ in }
            let queue = try DatabaseQueue()
            try migrator.migrate(queue)
            try migrator.migrate(queue, upTo: "a")
        }
    }
}
