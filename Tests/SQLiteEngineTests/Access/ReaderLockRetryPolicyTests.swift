import CSQLite
import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests that the writer waits for a reader of its pool that holds the write lock.
///
/// A reader holds this lock if it finds a partially written wal-index.
@Suite(.timeLimit(.minutes(1)))
struct ReaderLockRetryPolicyTests {
    private let folder = TemporaryFolder()

    private func makePool() throws -> DatabasePool {
        let gate = LockGate()
        let pool = try DatabasePool.withTable(
            in: folder,
            configuration: .with { $0.prepareDatabase { db in gate.install(on: db) } }
        )
        self.gate.withLock { $0 = gate }
        return pool
    }

    private let gate = Lock<LockGate?>(nil)

    private func setLimit(_ limit: UInt64, of pool: DatabasePool) {
        pool.writer.slots[0].probe.readerLockRetry.withLock { $0?.limit = limit }
    }

    /// Makes a reader hold the write lock inside a statement while `body` runs.
    private func withLockedReader(of pool: DatabasePool, _ body: () throws -> Void) throws {
        let gate = try #require(gate.withLock { $0 })
        let read = Background {
            try pool.read { db in try Int.fetchOne(db, sql: "SELECT hold_write_lock()") }
        }
        try gate.isLocked.wait()
        let result = Result { try body() }
        gate.mayUnlock.open()
        #expect(try read.value() == Int(SQLITE_OK))
        try result.get()
    }

    @Test func theWriterWaitsForAReaderOfItsPool() throws {
        let pool = try makePool()
        setLimit(20_000_000_000, of: pool)
        let write = Lock<Background<Void>?>(nil)
        try withLockedReader(of: pool) {
            let writing = Background { try pool.write { db in try db.insert(1) } }
            write.withLock { $0 = writing }
            try eventually { pool.status().connections.first?.state == .waitingForLock }
            #expect(!writing.isDone)
        }
        try write.withLock { $0 }?.value()
        #expect(try pool.rowCount() == 1)
        // No connection outside the pool blocked the write, so the lock is not counted.
        #expect(pool.status().busyCount == 0)
    }

    @Test func aReaderThatEndsBeforeTheCheckCausesARetry() {
        let checks = Lock([true, false, true, false, false])
        let policy = ReaderLockRetryPolicy(limit: .max) { checks.withLock { $0.removeFirst() } }
        var lock = ReaderLockRetryPolicy.EncounteredLock()
        let answers = (0...5).map { policy.pauseBeforeRetry(after: $0, &lock) }
        #expect(answers == [true, true, true, true, true, false])
        // The first check for another lock always requests a retry.
        #expect(policy.pauseBeforeRetry(after: 0, &lock))
    }

    @Test func theWaitForAReaderIsLimited() throws {
        let pool = try makePool()
        try withLockedReader(of: pool) {
            let start = monotonicNanoseconds()
            let error = #expect(throws: DatabaseError.self) { try pool.write { _ in } }
            #expect(error?.resultCode == .SQLITE_BUSY)
            #expect(monotonicNanoseconds() - start >= 10_000_000)
        }
        #expect(pool.status().busyCount == 1)
        try pool.write { db in try db.insert(1) }
    }

    @Test func aLockWithoutAnActiveReaderIsAnImmediateError() throws {
        let pool = try makePool()
        // Waiting would exceed the time limit.
        setLimit(.max, of: pool)
        try DatabaseQueue(path: folder.file()).write { _ in
            let error = #expect(throws: DatabaseError.self) { try pool.write { _ in } }
            #expect(error?.resultCode == .SQLITE_BUSY)
        }
        #expect(pool.status().busyCount == 1)
    }
}

/// A gate that holds the write lock of a wal-index inside the SQL function `hold_write_lock()`.
private final class LockGate: Sendable {
    let isLocked = Gate()
    let mayUnlock = Gate()

    func install(on db: Database) {
        sqlite3_create_function_v2(
            db.sqliteConnection,
            "hold_write_lock",
            0,
            SQLITE_UTF8,
            Unmanaged.passRetained(self).toOpaque(),
            { context, _, _ in
                guard let pointer = sqlite3_user_data(context) else { return }
                let gate = Unmanaged<LockGate>.fromOpaque(pointer).takeUnretainedValue()
                let code = gate.hold(sqlite3_context_db_handle(context))
                sqlite3_result_int(context, code)
            },
            nil,
            nil,
            { pointer in
                guard let pointer else { return }
                Unmanaged<LockGate>.fromOpaque(pointer).release()
            }
        )
    }

    private func hold(_ handle: OpaquePointer?) -> CInt {
        var file: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard let lockFunction = file?.pointee.pMethods?.pointee.xShmLock else {
            return SQLITE_ERROR
        }
        // Lock 0 is the writer's lock (https://sqlite.org/walformat.html, section 2.3).
        let code = lockFunction(file, 0, 1, SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE)
        isLocked.open()
        try? mayUnlock.wait()
        _ = lockFunction(file, 0, 1, SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE)
        return code
    }
}
