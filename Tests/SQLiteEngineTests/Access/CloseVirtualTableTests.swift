import CSQLite
import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests that databases can be closed even if virtual tables keep prepared statements on a
/// connection.
@Suite(.timeLimit(.minutes(1)))
struct CloseVirtualTableTests {
    /// A module whose tables prepare statements on their connection.
    enum Module: String, CaseIterable {
        case fts5, fts4, rtree

        var schema: String {
            switch self {
            case .fts5, .fts4: "CREATE VIRTUAL TABLE item USING \(rawValue)(name)"
            case .rtree: "CREATE VIRTUAL TABLE item USING rtree(id, low, high)"
            }
        }

        var insertion: String {
            switch self {
            case .fts5, .fts4: "INSERT INTO item VALUES ('hello')"
            case .rtree: "INSERT INTO item VALUES (NULL, 1, 2)"
            }
        }

        var query: String {
            switch self {
            case .fts5, .fts4: "SELECT count(*) FROM item WHERE item MATCH 'hello'"
            case .rtree: "SELECT count(*) FROM item WHERE low < 3"
            }
        }
    }

    private let folder = TemporaryFolder()

    private func makeConfiguration() -> Configuration {
        .with {
            $0.maximumReaderCount = 2
            $0.prepareDatabase { db in
                db.add(function: DatabaseFunction("one", argumentCount: 0) { _ in 1 })
            }
        }
    }

    private func fill(_ writer: some DatabaseWriter, _ module: Module) throws {
        try writer.write { db in
            try db.execute(sql: module.schema)
            try db.execute(sql: "CREATE TABLE t (v UNIQUE)")
            try db.execute(sql: module.insertion)
        }
    }

    private func count(_ reader: some DatabaseReader, _ module: Module) throws -> Int? {
        try reader.read { db in try Int.fetchOne(db.cachedStatement(sql: module.query)) }
    }

    /// Uses all readers at the same time, so that each reader prepares the statements of the
    /// virtual table.
    private func useReaders(_ reader: some DatabaseReader, _ module: Module) throws {
        let isInside = Gate()
        let mayEnd = Gate()
        let reads = (0..<2).map { _ in
            Background {
                try reader.read { db in
                    isInside.open()
                    try mayEnd.wait()
                    return try Int.fetchOne(db.cachedStatement(sql: module.query))
                }
            }
        }
        for _ in reads { try isInside.wait() }
        for _ in reads { mayEnd.open() }
        for read in reads { try #expect(read.value() == 1) }
    }

    @Test(arguments: Module.allCases)
    func aQueueCanBeClosed(module: Module) throws {
        let queue = try DatabaseQueue(path: folder.file())
        try fill(queue, module)
        #expect(try count(queue, module) == 1)
        try queue.close()
        #expect(queue.status().isClosed)
    }

    @Test(arguments: Module.allCases)
    func aPoolCanBeClosed(module: Module) throws {
        let pool = try DatabasePool(path: folder.file(), configuration: makeConfiguration())
        try fill(pool, module)
        try useReaders(pool, module)
        try pool.close()
        #expect(pool.status().isClosed)
    }

    @Test(arguments: Module.allCases)
    func snapshotsCanBeClosed(module: Module) throws {
        let pool = try DatabasePool(path: folder.file(), configuration: makeConfiguration())
        try fill(pool, module)
        let snapshot = try pool.makeSnapshot()
        #expect(try count(snapshot, module) == 1)
        try snapshot.close()
        let snapshots = try pool.makeSnapshotPool()
        try useReaders(snapshots, module)
        try snapshots.close()
        try pool.close()
    }

    @Test(arguments: Module.allCases)
    func aQueueReportsALiveStatementAndRemainsUsable(module: Module) throws {
        let queue = try DatabaseQueue(path: folder.file(), configuration: makeConfiguration())
        try fill(queue, module)
        let live = try queue.inDatabase { db in
            let statement = try db.makeStatement(sql: module.insertion)
            try statement.execute()
            return UncheckedBox<Statement>(statement)
        }
        expectBusy(naming: module.insertion) { try queue.close() }
        try expectUsable(queue, module, rows: 2)
        try queue.write { _ in try live.value?.execute() }
        #expect(try count(queue, module) == 4)
        live.value = nil
        try queue.close()
    }

    @Test(arguments: Module.allCases, [true, false])
    func aPoolReportsALiveStatementAndRemainsUsable(
        module: Module,
        isOnReader: Bool
    ) throws {
        let pool = try DatabasePool(path: folder.file(), configuration: makeConfiguration())
        try fill(pool, module)
        try useReaders(pool, module)
        let prepare = { (db: Database) in
            let statement = try db.makeStatement(sql: module.query)
            _ = try Int.fetchOne(statement)
            return UncheckedBox<Statement>(statement)
        }
        let live = try isOnReader ? pool.read(prepare) : pool.write(prepare)
        expectBusy(naming: module.query) { try pool.close() }
        try expectUsable(pool, module, rows: 1)
        try useAllAfterFailure(pool, module)
        live.value = nil
        try pool.close()
    }

    private func useAllAfterFailure(_ pool: DatabasePool, _ module: Module) throws {
        let reads = (0..<4).map { _ in Background { try count(pool, module) } }
        for read in reads { try #expect(read.value() == 2) }
    }

    @Test(arguments: Module.allCases)
    func aSnapshotPoolReportsALiveStatementAndItsReadersKeepTheirState(
        module: Module
    ) throws {
        let pool = try DatabasePool(path: folder.file(), configuration: makeConfiguration())
        try fill(pool, module)
        let snapshots = try pool.makeSnapshotPool()
        try pool.write { db in try db.execute(sql: module.insertion) }
        let live = try snapshots.read { db in
            let statement = try db.makeStatement(sql: module.query)
            _ = try Int.fetchOne(statement)
            return UncheckedBox<Statement>(statement)
        }
        expectBusy(naming: module.query) { try snapshots.close() }
        try useReaders(snapshots, module)
        #expect(snapshots.status().connections.count == 2)
        live.value = nil
        try snapshots.close()
        try pool.close()
    }

    @Test func aRunningStatementContinuesAfterAFailedClose() throws {
        let queue = try DatabaseQueue(path: folder.file())
        try fill(queue, .fts5)
        try queue.write { db in try db.execute(sql: Module.fts5.insertion) }
        let sql = "SELECT name FROM item WHERE item MATCH 'hello'"
        let live = try queue.inDatabase { db in
            let statement = try db.makeStatement(sql: sql)
            #expect(try statement.startStepping())
            return UncheckedBox<Statement>(statement)
        }
        expectBusy(naming: sql) { try queue.close() }
        try queue.inDatabase { _ throws in
            #expect(try live.value?.continueStepping() == true)
            #expect(try live.value?.continueStepping() == false)
        }
        live.value = nil
        try queue.close()
    }

    @Test func aStatementPreparedThroughTheCHandleKeepsTheConnectionOpen() throws {
        let queue = try DatabaseQueue(path: folder.file())
        try fill(queue, .fts5)
        #expect(try count(queue, .fts5) == 1)
        let live = queue.inDatabase { db in
            var statement: OpaquePointer?
            sqlite3_prepare_v2(db.sqliteConnection, "SELECT v FROM t", -1, &statement, nil)
            return UncheckedBox(statement)
        }
        expectBusy(naming: "SELECT v FROM t") { try queue.close() }
        #expect(try count(queue, .fts5) == 1)
        sqlite3_finalize(live.value)
        try queue.close()
    }

    private func expectBusy(naming sql: String, _ close: () throws -> Void) {
        let error = #expect(throws: DatabaseError.self) { try close() }
        #expect(error?.resultCode == .SQLITE_BUSY)
        #expect(error?.message?.hasSuffix("still has `\(sql)`") == true)
    }

    /// Checks that the cached statements, functions, and observers of the database still work.
    private func expectUsable(_ writer: some DatabaseWriter, _ module: Module, rows: Int) throws {
        #expect(try count(writer, module) == rows)
        let observer = RecordingObserver()
        writer.add(transactionObserver: observer)
        try writer.write { db in
            try db.cachedStatement(sql: module.insertion).execute()
            try db.insert(7)
        }
        #expect(observer.log.contains("insert t 1"))
        #expect(observer.log.last == "didCommit")
        writer.remove(transactionObserver: observer)
        #expect(try count(writer, module) == rows + 1)
        #expect(try writer.read { db in try Int.fetchOne(db, sql: "SELECT one()") } == 1)
    }
}
