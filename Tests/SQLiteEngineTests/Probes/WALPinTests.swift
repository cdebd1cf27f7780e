import CSQLite
import Foundation
import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests each cause of a log that does not shrink, in a real database.
@Suite(.timeLimit(.minutes(1)))
struct WALPinTests {
    private let folder = TemporaryFolder()

    private func makePool(_ change: (inout Configuration) -> Void = { _ in }) throws -> DatabasePool
    {
        let pool = try DatabasePool(path: folder.file(), configuration: .with(change))
        try pool.write { db in try db.execute(sql: "CREATE TABLE b (v BLOB)") }
        return pool
    }

    private func checkpoint(_ pool: DatabasePool) throws {
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA wal_checkpoint(PASSIVE)")
        }
    }

    /// Keeps a read transaction open while `body` runs.
    private func withOpenRead(
        _ pool: DatabasePool,
        as label: String,
        _ body: () throws -> Void
    ) throws {
        let hasRead = Gate()
        let mayEnd = Gate()
        let reader = Background {
            try pool.read(as: AccessLabel(label)) { db in
                _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM b")
                hasRead.open()
                try mayEnd.wait()
            }
        }
        try hasRead.wait()
        defer { mayEnd.open() }
        try body()
        mayEnd.open()
        try reader.value()
    }

    private func currentPin(_ pool: DatabasePool) -> WALPin? { pool.status().wal?.pin }

    @Test func aSnapshotPinsTheFramesAfterItsState() throws {
        let pool = try makePool()
        try pool.write { db in try db.fill(pages: 5) }
        let first = try pool.makeSnapshot()
        let before = try #require(pool.status().snapshots.first)
        #expect(before.pinnedFrames == 0)
        try pool.write { db in try db.fill(pages: 7) }
        let second = try pool.makeSnapshot()
        let status = pool.status()
        let frames = try #require(status.wal?.frames)
        let grown = frames - (try #require(before.frame))
        #expect(grown >= 7)
        #expect(status.snapshots.map(\.pinnedFrames) == [grown, 0])
        // A checkpoint does not copy the pinned frames.
        try checkpoint(pool)
        let copied = try #require(pool.status().wal?.checkpointedFrames)
        #expect(frames - copied == grown)
        withExtendedLifetime((first, second)) {}
    }

    @Test func anOldReaderIsReported() throws {
        let pool = try makePool()
        try withOpenRead(pool, as: "report") {
            try pool.write { db in try db.fill(pages: 5) }
            try checkpoint(pool)
            let wal = try #require(pool.status().wal)
            #expect(try #require(wal.checkpointedFrames) < (wal.frames ?? 0))
            try eventually { currentPin(pool) != nil }
            let pin = try #require(currentPin(pool))
            #expect(pin.cause == .oldReader)
            #expect(pin.by.name == "report")
            #expect(pin.ageNanoseconds >= EngineTimings.pinAge)
        }
        #expect(currentPin(pool) == nil)
    }

    @Test func aReaderThatIgnoresTheLogIsReported() throws {
        let pool = try makePool()
        // This log is longer than the next one.
        try pool.write { db in try db.fill(pages: 50) }
        try checkpoint(pool)
        try withOpenRead(pool, as: "report") {
            // The reader allows the log to restart, but prevents checkpoints from copying
            // frames.
            try pool.write { db in try db.fill(pages: 5) }
            try checkpoint(pool)
            let wal = try #require(pool.status().wal)
            #expect(wal.checkpointedFrames == 0)
            #expect(try #require(wal.frames) > 0)
            try eventually { currentPin(pool) != nil }
            let pin = try #require(currentPin(pool))
            #expect(pin.cause == .oldReader)
            #expect(pin.by.name == "report")
        }
    }

    @Test func aSnapshotIsReported() throws {
        let pool = try makePool()
        let snapshot = try pool.makeSnapshot(as: AccessLabel("backup"))
        try pool.write { db in try db.fill(pages: 5) }
        try eventually { currentPin(pool) != nil }
        #expect(currentPin(pool)?.cause == .oldReader)
        #expect(currentPin(pool)?.by.name == "backup")
        try snapshot.close()
        #expect(currentPin(pool) == nil)
    }

    @Test func theOldestOfSeveralReadersIsReported() throws {
        let pool = try makePool()
        try withOpenRead(pool, as: "first") {
            try pool.write { db in try db.fill(pages: 5) }
            try withOpenRead(pool, as: "second") {
                try pool.write { db in try db.fill(pages: 5) }
                try eventually { currentPin(pool) != nil }
                #expect(currentPin(pool)?.by.name == "first")
            }
        }
    }

    @Test func aReaderOfTheLastStateIsNotACause() throws {
        let pool = try makePool()
        try pool.write { db in try db.fill(pages: 5) }
        try withOpenRead(pool, as: "current") {
            // The read is older than all limits, but no commit follows it.
            try eventually {
                pool.status().connections.contains {
                    $0.role == .reader && $0.heldNanoseconds ?? 0 > 2 * EngineTimings.pinAge
                }
            }
            let wal = try #require(pool.status().wal)
            #expect(try #require(wal.checkpointedFrames) < (wal.frames ?? 0))
            #expect(wal.pin == nil)
        }
    }

    @Test func aHeldReaderWithoutStatementsIsNotACause() throws {
        let pool = try makePool()
        try pool.read(as: AccessLabel("thinking")) { _ in
            try pool.write { db in try db.fill(pages: 5) }
            try eventually {
                pool.status().connections.last?.heldNanoseconds ?? 0 > 2 * EngineTimings.pinAge
            }
            #expect(currentPin(pool) == nil)
        }
    }

    @Test func overlappingReadersAreReported() throws {
        let pool = try makePool()
        var snapshot = try pool.makeSnapshot(as: AccessLabel("list"))
        // Each snapshot is released only after the next one is created.
        for _ in 0..<4 {
            try pool.write { db in try db.fill(pages: 600) }
            let next = try pool.makeSnapshot(as: AccessLabel("list"))
            try snapshot.close()
            snapshot = next
            // All frames are copied because the snapshot reads the last state. However, the log
            // cannot restart.
            try checkpoint(pool)
            let wal = try #require(pool.status().wal)
            #expect(wal.checkpointedFrames == wal.frames)
        }
        let wal = try #require(pool.status().wal)
        #expect(try #require(wal.frames) > 2_000)
        let pin = try #require(wal.pin)
        #expect(pin.cause == .overlappingReaders)
        #expect(pin.by.name == "list")
        #expect(pin.ageNanoseconds > 0)
        // After a gap, the log restarts.
        try snapshot.close()
        #expect(currentPin(pool) == nil)
        try pool.write { db in try db.fill(pages: 1) }
        #expect(try #require(pool.status().wal?.frames) < 1_000)
        #expect(currentPin(pool) == nil)
    }

    @Test func aLargeTransactionIsReported() throws {
        let pool = try makePool()
        try pool.write(as: AccessLabel("import")) { db in
            try db.execute(sql: "PRAGMA cache_size = 10")
            try db.fill(pages: 500)
            #expect(currentPin(pool) == nil)
            try db.fill(pages: 1_500)
            let pin = try #require(currentPin(pool))
            #expect(pin.cause == .largeTransaction)
            #expect(pin.by.name == "import")
        }
        #expect(currentPin(pool) == nil)
        // The log file keeps its size, but it contains no new transaction.
        try pool.write(as: AccessLabel("small")) { db in
            try db.fill(pages: 1)
            #expect(currentPin(pool) == nil)
        }
    }

    @Test func missingCheckpointsAreReported() throws {
        let pool = try makePool()
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
        }
        try pool.write(as: AccessLabel("import")) { db in try db.fill(pages: 500) }
        #expect(currentPin(pool) == nil)
        try pool.write(as: AccessLabel("import")) { db in try db.fill(pages: 1_000) }
        let pin = try #require(currentPin(pool))
        #expect(pin.cause == .noCheckpoint)
        #expect(pin.by.name == "import")
        try checkpoint(pool)
        #expect(currentPin(pool) == nil)
    }

    @Test func aHookThatDoesNotCheckpointIsReported() throws {
        let pool = try makePool()
        pool.writeWithoutTransaction { db in
            // The user's hook replaces SQLite's hook and does not checkpoint.
            _ = sqlite3_wal_hook(db.sqliteConnection, { _, _, _, _ in SQLITE_OK }, nil)
        }
        try pool.write(as: AccessLabel("import")) { db in try db.fill(pages: 1_500) }
        #expect(currentPin(pool)?.cause == .noCheckpoint)
    }

    @Test func failingCheckpointsAreReported() throws {
        let pool = try makePool()
        let disk = UncheckedBox(FullDisk())
        // In WAL mode, SQLite writes to the database file only during checkpoints.
        pool.writeWithoutTransaction { db in disk.value?.fillUp(db) }
        try pool.write(as: AccessLabel("import")) { db in try db.fill(pages: 1_500) }
        pool.writeWithoutTransaction { db in
            let error = #expect(throws: DatabaseError.self) { try db.checkpoint() }
            #expect(error?.resultCode == .SQLITE_FULL)
        }
        let wal = try #require(pool.status().wal)
        #expect(wal.checkpointedFrames == 0)
        let pin = try #require(wal.pin)
        #expect(pin.cause == .noCheckpoint)
        #expect(pin.by.name == "import")
        pool.writeWithoutTransaction { db in disk.value?.makeRoom(db) }
        try checkpoint(pool)
        #expect(currentPin(pool) == nil)
        try #expect(
            pool.read { db in try String.fetchOne(db, sql: "PRAGMA integrity_check") } == "ok"
        )
    }

    #if os(Linux)
    @Test func anotherConnectionOfTheProcessIsReported() throws {
        let pool = try makePool()
        let other = try DatabaseQueue(path: folder.file())
        try other.read { db in
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM b")
            try pool.write { db in try db.fill(pages: 1_500) }
            // The pin is not reported immediately, because the lock could belong to a reader of the
            // pool that has just ended.
            #expect(currentPin(pool) == nil)
            try eventually { currentPin(pool)?.cause == .otherProcess }
            #expect(currentPin(pool)?.by.name == "another connection of this process")
        }
    }

    @Test func anExternalWriterIsReported() throws {
        let pool = try makePool()
        let other = try DatabaseQueue(path: folder.file())
        try other.write { db in
            try db.execute(sql: "PRAGMA cache_size = 10")
            try db.fill(pages: 1_500)
            try eventually { currentPin(pool)?.cause == .otherProcess }
        }
    }

    /// Starts a process that reads `path` until the pipe `path.leave` is opened.
    private func expectReaderInAnotherProcess(_ path: String) async {
        await #expect(processExitsWith: .success) { [path = path as String] in
            endProcessAfterTimeout()
            let queue = try DatabaseQueue(path: path)
            try queue.read { db in
                _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM b")
                try "\(getpid())".write(toFile: path + ".ready", atomically: true, encoding: .utf8)
                // Opening a pipe blocks until its other end is opened.
                close(open(path + ".leave", O_RDONLY))
            }
        }
    }

    @Test func anotherProcessIsReportedWithItsPID() async throws {
        let pool = try makePool()
        let path = folder.file()
        try #require(mkfifo(path + ".leave", 0o600) == 0)
        async let child: Void = expectReaderInAnotherProcess(path)
        try await eventuallyAsync { access(path + ".ready", F_OK) == 0 }
        let number = try String(contentsOfFile: path + ".ready", encoding: .utf8)
        try await pool.write { db in try db.fill(pages: 1_500) }
        let first = try #require(currentPin(pool))
        #expect(first.cause == .otherProcess)
        #expect(first.by.name.hasSuffix("(\(number))"))
        #expect(try #require(currentPin(pool)).ageNanoseconds > first.ageNanoseconds)
        // Opens the pipe for reading as well. Otherwise, this call would wait forever if the
        // process has failed.
        let leave = open(path + ".leave", O_RDWR)
        defer { close(leave) }
        await child
        try checkpoint(pool)
        #expect(currentPin(pool) == nil)
    }
    #endif
}

/// A simulation of a full disk that affects the database file, but not its log.
private struct FullDisk {
    private let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    private var original: UnsafePointer<sqlite3_io_methods>?

    private func file(of db: Database) -> UnsafeMutablePointer<sqlite3_file>? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        return file
    }

    /// Makes every subsequent write fail.
    mutating func fillUp(_ db: Database) {
        guard let file = file(of: db), let original = file.pointee.pMethods else { return }
        self.original = original
        methods.initialize(to: original.pointee)
        methods.pointee.xWrite = { _, _, _, _ in SQLITE_FULL }
        file.pointee.pMethods = UnsafePointer(methods)
    }

    /// Reverts ``fillUp(_:)``.
    func makeRoom(_ db: Database) {
        file(of: db)?.pointee.pMethods = original
        methods.deallocate()
    }
}

extension Database {
    /// Adds rows to `b` that each occupy a page.
    fileprivate func fill(pages: Int) throws {
        try execute(
            sql: """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ?)
                INSERT INTO b SELECT zeroblob(3000) FROM n
                """,
            arguments: [pages]
        )
    }
}
