import CSQLite
import Foundation
import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests that kept read transactions have no observable effect on reads, other connections, or
/// statements on the C connection.
@Suite(.timeLimit(.minutes(1)))
struct KeptTransactionGuaranteesTests {
    private let folder = TemporaryFolder()

    /// A connection that uses the C interface, like a connection of another program.
    private final class ExternalConnection {
        private var handle: OpaquePointer?

        init(_ path: String) {
            #expect(sqlite3_open(path, &handle) == SQLITE_OK)
        }

        deinit { sqlite3_close(handle) }

        func close() {
            sqlite3_close(handle)
            handle = nil
        }

        @discardableResult
        func run(_ sql: String) -> CInt { sqlite3_exec(handle, sql, nil, nil, nil) }

        /// Runs a checkpoint without waiting for locks, and returns whether the checkpoint was
        /// blocked.
        func isTruncateBlocked() -> Bool {
            sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
                == SQLITE_BUSY
        }
    }

    private func makePool(
        readers: Int = 1,
        keepsReadTransactions: Bool = true
    ) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.maximumReaderCount = readers
        configuration.keepsReadTransactions = keepsReadTransactions
        configuration.busyMode = .timeout(5)
        let pool = try DatabasePool(path: folder.file(), configuration: configuration)
        try pool.write { db in
            try db.execute(
                sql: "CREATE TABLE IF NOT EXISTS t(v INTEGER); INSERT INTO t VALUES (0)"
            )
        }
        return pool
    }

    private func makeQueue() throws -> DatabaseQueue {
        let queue = try DatabaseQueue(
            path: folder.file(),
            configuration: .with { $0.journalMode = .wal }
        )
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t(v INTEGER); INSERT INTO t VALUES (0)")
        }
        return queue
    }

    private func readRepeatedly(_ database: some DatabaseReader, times: Int = 200) throws {
        for _ in 0..<times {
            _ = try database.read { db in try Int.fetchOne(db, sql: "SELECT v FROM t") }
        }
    }

    // MARK: The state of a read

    @Test(arguments: [true, false])
    func aReadHasTheStateOfItsFirstStatement(keepsReadTransactions: Bool) throws {
        let pool = try makePool(keepsReadTransactions: keepsReadTransactions)
        let external = ExternalConnection(folder.file())
        for expected in 1...50 {
            try readRepeatedly(pool)
            let observedValue = try pool.read { db in
                #expect(external.run("UPDATE t SET v = \(expected)") == SQLITE_OK)
                let first = try Int.fetchOne(db, sql: "SELECT v FROM t")
                #expect(external.run("UPDATE t SET v = -1") == SQLITE_OK)
                let second = try Int.fetchOne(db, sql: "SELECT v FROM t")
                #expect(first == second)
                return first
            }
            #expect(observedValue == expected)
        }
    }

    @Test func aReadOfAQueueHasTheStateOfItsFirstStatement() throws {
        let queue = try makeQueue()
        let external = ExternalConnection(folder.file())
        for expected in 1...50 {
            try readRepeatedly(queue)
            let observedValue = try queue.read { db in
                #expect(external.run("UPDATE t SET v = \(expected)") == SQLITE_OK)
                return try Int.fetchOne(db, sql: "SELECT v FROM t")
            }
            #expect(observedValue == expected)
        }
    }

    @Test func aStatementOnTheCConnectionObservesTheLastCommit() throws {
        let pool = try makePool()
        let external = ExternalConnection(folder.file())
        for expected in 1...50 {
            try readRepeatedly(pool)
            try pool.read { db in
                #expect(external.run("UPDATE t SET v = \(expected)") == SQLITE_OK)
                var statement: OpaquePointer?
                let sql = "SELECT v FROM t"
                #expect(
                    sqlite3_prepare_v2(db.sqliteConnection, sql, -1, &statement, nil) == SQLITE_OK
                )
                defer { sqlite3_finalize(statement) }
                #expect(sqlite3_step(statement) == SQLITE_ROW)
                #expect(sqlite3_column_int(statement, 0) == CInt(expected))
            }
        }
    }

    @Test func aReadThatRunsNoStatementHoldsNoState() throws {
        let pool = try makePool()
        let external = ExternalConnection(folder.file())
        for _ in 1...50 {
            try readRepeatedly(pool)
            try pool.read { db in
                #expect(external.run("UPDATE t SET v = v + 1") == SQLITE_OK)
                #expect(sqlite3_txn_state(db.sqliteConnection, nil) == SQLITE_TXN_NONE)
                #expect(!external.isTruncateBlocked())
            }
        }
    }

    // MARK: The schema

    /// Reads until the only reader keeps its transaction.
    private func keepTransaction(of pool: DatabasePool) throws {
        try eventually {
            try readRepeatedly(pool)
            return pool.readers.slots[0].keepsIdleTransaction
        }
    }

    @Test func aStatementIsPreparedWithTheLastSchema() throws {
        let pool = try makePool()
        pool.readers.keeper.pause.store(0, ordering: .relaxed)
        let external = ExternalConnection(folder.file())
        for number in 1...20 {
            try keepTransaction(of: pool)
            let observedValue = try pool.read { db in
                let sql = "ALTER TABLE t ADD COLUMN c\(number) DEFAULT \(number)"
                #expect(external.run(sql) == SQLITE_OK)
                return try Int.fetchOne(db, sql: "SELECT c\(number) FROM t")
            }
            #expect(observedValue == number)
        }
    }

    @Test func aSchemaChangeByTheSamePoolIsDetectedBeforeTheFirstStep() throws {
        let pool = try makePool()
        for number in 1...20 {
            try keepTransaction(of: pool)
            try pool.read { db in
                try Background {
                    try pool.write { db in
                        let sql = "ALTER TABLE t ADD COLUMN c\(number) DEFAULT \(number)"
                        try db.execute(sql: sql)
                    }
                }.value()
                let names = try db.cachedStatement(sql: "SELECT * FROM t").columnNames
                #expect(names.last == "c\(number)")
                #expect(try Int.fetchOne(db, sql: "SELECT c\(number) FROM t") == number)
            }
        }
    }

    // MARK: The pool's writer

    @Test func connectionsReleasedAfterTheSearchKeepNoTransaction() throws {
        let pool = try makePool()
        let slot = pool.readers.slots[0]
        // The timer may end the transaction before the test acquires the connection.
        try eventually {
            try keepTransaction(of: pool)
            guard slot.claimIdle() else { return false }
            if slot.keepsTransaction { return true }
            pool.readers.release(slot)
            return false
        }
        // A writer or a suspension starts while another thread hands over the slot.
        pool.readers.forbidKeeping()
        guard case .free = pool.readers.handOver(slot) else {
            Issue.record("there must be no waiter")
            return
        }
        #expect(!slot.keepsIdleTransaction)
        #expect(!ExternalConnection(folder.file()).isTruncateBlocked())
        pool.readers.allowKeeping()
        try pool.close()
    }

    // MARK: The C connection

    @Test func aConnectionThatFailedToOpenLeavesNoPointer() throws {
        let mustFail = Lock(false)
        var configuration = Configuration()
        configuration.maximumReaderCount = 1
        configuration.prepareDatabase { db in
            if mustFail.withLock({ $0 }) {
                _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master")
            }
            try db.execute(sql: "PRAGMA journal_mode = WAL")
            if mustFail.withLock({ $0 }) { throw CancellationError() }
        }
        let pool = try DatabasePool(path: folder.file(), configuration: configuration)
        mustFail.withLock { $0 = true }
        for _ in 1...3 {
            #expect(throws: CancellationError.self) { try pool.read { _ in } }
            #expect(pool.readers.slots[0].probe.walIndex == nil)
        }
        mustFail.withLock { $0 = false }
        _ = try pool.read { try Int.fetchOne($0, sql: "SELECT 1") }
    }

    @Test func aReplacedEmptyLogIsDetected() throws {
        let creator = ExternalConnection(folder.file())
        #expect(creator.run("PRAGMA journal_mode = WAL") == SQLITE_OK)
        #expect(creator.run("CREATE TABLE t(v); INSERT INTO t VALUES (0)") == SQLITE_OK)
        #expect(creator.run("PRAGMA journal_mode = DELETE; PRAGMA journal_mode = WAL") == SQLITE_OK)
        creator.close()
        let queue = try DatabaseQueue(path: folder.file())
        try readRepeatedly(queue)
        queue.inDatabase { db in
            let sql = "PRAGMA journal_mode = DELETE; PRAGMA journal_mode = WAL; SELECT v FROM t"
            #expect(sqlite3_exec(db.sqliteConnection, sql, nil, nil, nil) == SQLITE_OK)
        }
        queue.gate.keeper.pause.store(0, ordering: .relaxed)
        let external = ExternalConnection(folder.file())
        for value in 1...50 {
            try readRepeatedly(queue, times: 20)
            #expect(external.run("UPDATE t SET v = \(value)") == SQLITE_OK)
            let observedValue = try queue.read { try Int.fetchOne($0, sql: "SELECT v FROM t") }
            #expect(observedValue == value)
        }
    }

    @Test func theJournalModeMayChangeOnTheCConnection() throws {
        let queue = try makeQueue()
        func set(_ mode: String) {
            queue.inDatabase { db in
                let sql = "PRAGMA journal_mode = \(mode)"
                #expect(sqlite3_exec(db.sqliteConnection, sql, nil, nil, nil) == SQLITE_OK)
                // The status is requested before the engine has detected the mode.
                _ = queue.status()
            }
        }
        for round in 1...20 {
            try readRepeatedly(queue)
            set("DELETE")
            try readRepeatedly(queue, times: 20)
            _ = queue.status()
            let external = ExternalConnection(folder.file())
            // Outside WAL mode, a kept transaction would lock the file, so no transaction is kept.
            #expect(external.run("UPDATE t SET v = \(round)") == SQLITE_OK)
            #expect(
                try queue.read { try Int.fetchOne($0, sql: "SELECT v FROM t") } == round
            )
            set("WAL")
            try readRepeatedly(queue)
            #expect(queue.status().wal != nil)
            #expect(external.run("UPDATE t SET v = -1") == SQLITE_OK)
            #expect(try queue.read { try Int.fetchOne($0, sql: "SELECT v FROM t") } == -1)
        }
    }

    @Test func aModeThatChangesTwiceInOneAccessIsDetected() throws {
        let queue = try makeQueue()
        for round in 1...20 {
            try readRepeatedly(queue)
            queue.inDatabase { db in
                let sql = "PRAGMA journal_mode = DELETE; PRAGMA journal_mode = WAL"
                #expect(sqlite3_exec(db.sqliteConnection, sql, nil, nil, nil) == SQLITE_OK)
            }
            let external = ExternalConnection(folder.file())
            for value in 1...20 {
                try readRepeatedly(queue, times: 20)
                #expect(external.run("UPDATE t SET v = \(round * 100 + value)") == SQLITE_OK)
                let observedValue = try queue.read { try Int.fetchOne($0, sql: "SELECT v FROM t") }
                #expect(observedValue == round * 100 + value)
            }
        }
    }

    @Test func aDatabaseAttachedOnTheCConnectionIsNeverStale() throws {
        let other = folder.file("other.sqlite")
        let attached = ExternalConnection(other)
        #expect(attached.run("PRAGMA journal_mode = WAL") == SQLITE_OK)
        #expect(attached.run("CREATE TABLE o(v); INSERT INTO o VALUES (0)") == SQLITE_OK)
        let queue = try makeQueue()
        queue.inDatabase { db in
            let sql = "ATTACH '\(other)' AS other"
            #expect(sqlite3_exec(db.sqliteConnection, sql, nil, nil, nil) == SQLITE_OK)
        }
        for expected in 1...200 {
            for _ in 1...3 {
                _ = try queue.read { db in try Int.fetchOne(db, sql: "SELECT v FROM o") }
            }
            #expect(attached.run("UPDATE o SET v = \(expected)") == SQLITE_OK)
            let observedValue = try queue.read { db in try Int.fetchOne(db, sql: "SELECT v FROM o")
            }
            #expect(observedValue == expected)
        }
    }

    // MARK: Exclusive locking mode

    private var openDescriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd")))
    func exclusiveLockingLeavesNeitherADescriptorNorASharedMemoryFile() throws {
        var configuration = Configuration()
        configuration.journalMode = .wal
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
        }
        let descriptorsBefore = openDescriptors
        for _ in 1...10 {
            let queue = try DatabaseQueue(path: folder.file(), configuration: configuration)
            try queue.write { db in
                try db.execute(sql: "CREATE TABLE IF NOT EXISTS t(v); INSERT INTO t VALUES (1)")
            }
            try readRepeatedly(queue)
            #expect(queue.status().journalMode == "wal")
            try queue.close()
        }
        #expect(openDescriptors <= descriptorsBefore)
        #expect(!FileManager.default.fileExists(atPath: folder.file() + "-shm"))
    }

    // MARK: Suspension

    @Test(arguments: [false, true])
    func suspensionEndsKeptTransactions(readonly: Bool) throws {
        let writing = try makePool()
        let pool =
            readonly
            ? try DatabasePool(path: folder.file(), configuration: .with { $0.readonly = true })
            : writing
        pool.readers.keeper.pause.store(0, ordering: .relaxed)
        let external = ExternalConnection(folder.file())
        for _ in 1...50 {
            #expect(external.run("UPDATE t SET v = v + 1") == SQLITE_OK)
            try eventually {
                try readRepeatedly(pool)
                return pool.readers.slots.contains(where: \.keepsIdleTransaction)
            }
            pool.suspend()
            #expect(!external.isTruncateBlocked())
            // Reads continue, but they keep no transaction.
            try readRepeatedly(pool)
            #expect(!external.isTruncateBlocked())
            pool.resume()
        }
    }

    @Test func suspensionEndsTheTransactionThatAQueueKeeps() throws {
        let queue = try makeQueue()
        let external = ExternalConnection(folder.file())
        for _ in 1...20 {
            try eventually {
                try readRepeatedly(queue)
                return queue.gate.slots[0].keepsIdleTransaction
            }
            queue.suspend()
            #expect(!external.isTruncateBlocked())
            try readRepeatedly(queue)
            #expect(!external.isTruncateBlocked())
            queue.resume()
        }
    }
}
