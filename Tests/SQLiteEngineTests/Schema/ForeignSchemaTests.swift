import Dispatch
import SQLiteEngine
import Telemetry
import TestSupport
import Testing

/// Schema changes by another process.
///
/// A second pool of this process stands for the other process. Its path has another spelling, so the
/// pools do not share a ``SchemaGeneration``.
struct ForeignSchemaTests {
    private let folder = TemporaryFolder()
    private let pool: DatabasePool
    private let other: DatabasePool

    init() throws {
        pool = try DatabasePool(path: folder.path + "/db.sqlite")
        other = try DatabasePool(path: folder.path + "/./db.sqlite")
    }

    private enum Access: CaseIterable {
        case read, unsafeRead, write, writeWithoutTransaction

        func run<T>(_ pool: DatabasePool, _ body: (Database) throws -> T) throws -> T {
            switch self {
            case .read: try pool.read(body)
            case .unsafeRead: try pool.unsafeRead(body)
            case .write: try pool.write(body)
            case .writeWithoutTransaction: try pool.writeWithoutTransaction(body)
            }
        }
    }

    private struct Player: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "player"
        var id: Int
    }

    /// Each schema method, called first in its access, returns the current schema.
    @Test(arguments: Access.allCases)
    private func schemaMethodsAreAsFreshAsStatements(_ access: Access) throws {
        func expect<T: Equatable>(
            _ before: T,
            _ after: T,
            change: String,
            _ body: (Database) throws -> T
        ) throws {
            for _ in 0..<2 { #expect(try access.run(pool, body) == before) }
            try other.write { try $0.execute(sql: change) }
            for _ in 0..<2 { #expect(try access.run(pool, body) == after) }
        }
        try expect(false, true, change: "CREATE TABLE t (a)") { try $0.tableExists("t") }
        try expect(["a"], ["a", "b"], change: "ALTER TABLE t ADD COLUMN b") {
            try $0.columns(in: "t").map(\.name)
        }
        try expect(0, 1, change: "CREATE INDEX i ON t (a)") { try $0.indexes(on: "t").count }
        try expect(false, true, change: "CREATE VIEW v AS SELECT a FROM t") {
            try $0.viewExists("v")
        }
        try expect(false, true, change: "CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT 1; END") {
            try $0.triggerExists("g")
        }
        try expect(
            [],
            ["p"],
            change: "DROP TABLE t; CREATE TABLE p (q PRIMARY KEY); CREATE TABLE t (a REFERENCES p)"
        ) { try $0.tableExists("t") ? $0.foreignKeys(on: "t").map(\.destinationTable) : [] }
        try expect(["q"], ["r"], change: "ALTER TABLE p RENAME COLUMN q TO r") {
            try $0.primaryKey("p").columns
        }
        try expect(false, true, change: "CREATE UNIQUE INDEX u ON t (a)") {
            try $0.table("t", hasUniqueKey: ["a"])
        }
    }

    @Test(arguments: [Access.read, .unsafeRead])
    private func aRecordIsFetchedByItsCurrentKey(_ access: Access) throws {
        try other.write {
            try $0.execute(
                sql: """
                    CREATE TABLE player (key INTEGER PRIMARY KEY, id INTEGER);
                    INSERT INTO player VALUES (1, 2)
                    """
            )
        }
        #expect(try access.run(pool) { try Player.fetchOne($0, key: 1)?.id } == 2)
        try other.write {
            try $0.execute(
                sql: """
                    DROP TABLE player; CREATE TABLE player (id INTEGER PRIMARY KEY, key INTEGER);
                    INSERT INTO player VALUES (3, 1)
                    """
            )
        }
        #expect(try access.run(pool) { try Player.fetchOne($0, key: 3)?.id } == 3)
        #expect(try access.run(pool) { try Player.fetchOne($0, key: 1)?.id } == nil)
    }

    /// Starts an observation, and returns the last value and the cancellable.
    private func observe(_ sql: String) -> (last: Lock<Int?>, AnyDatabaseCancellable) {
        let last = Lock<Int?>(nil)
        let cancellable = ValueObservation.tracking { try Int.fetchOne($0, sql: sql) ?? -1 }
            .start(in: pool, scheduling: .async(onQueue: DispatchQueue(label: "observation"))) {
                Issue.record($0)
            } onChange: { value in
                last.withLock { $0 = value }
            }
        return (last, cancellable)
    }

    @Test func anObservationFollowsAViewThatIsRedefined() throws {
        try pool.write {
            try $0.execute(
                sql: "CREATE TABLE t (x); CREATE TABLE u (x); CREATE VIEW v AS SELECT x FROM t"
            )
        }
        let (last, cancellable) = observe("SELECT COUNT(*) FROM v")
        try eventually { last.withLock { $0 } == 0 }
        try other.write {
            try $0.execute(
                sql: "DROP VIEW v; CREATE VIEW v AS SELECT x FROM u; INSERT INTO u VALUES (1)"
            )
        }
        // The observation fetches again, and reads the new view.
        try pool.write { try $0.notifyChanges(in: .fullDatabase) }
        try eventually { last.withLock { $0 } == 1 }
        try pool.write { try $0.execute(sql: "INSERT INTO u VALUES (1)") }
        try eventually { last.withLock { $0 } == 2 }
        cancellable.cancel()
    }

    /// The first execution of a cached statement after another process has created a trigger.
    @Test(arguments: [Access.write, .writeWithoutTransaction])
    private func changesOfANewTriggerAreObserved(_ access: Access) throws {
        try pool.write { try $0.execute(sql: "CREATE TABLE t (x); CREATE TABLE log (x)") }
        let observer = RecordingObserver { $0.tableName == "log" }
        pool.add(transactionObserver: observer)
        func insert() throws {
            try access.run(pool) {
                try $0.cachedStatement(sql: "INSERT INTO t VALUES (1)").execute()
            }
        }
        for _ in 0..<2 { try insert() }
        try other.write {
            try $0.execute(
                sql: """
                    CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.x); END
                    """
            )
        }
        try insert()
        #expect(observer.log.filter { $0.hasPrefix("insert log") }.count == 1)
    }

    /// A trigger of the same connection, for a statement that the access has prepared before.
    @Test func changesOfATriggerOfTheSameAccessAreObserved() throws {
        try pool.write { try $0.execute(sql: "CREATE TABLE t (x); CREATE TABLE log (x)") }
        let observer = RecordingObserver { $0.tableName == "log" }
        pool.add(transactionObserver: observer)
        try pool.write { db in
            let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (1)")
            try statement.execute()
            try db.execute(
                sql: """
                    CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.x); END
                    """
            )
            try statement.execute()
        }
        #expect(observer.log.filter { $0.hasPrefix("insert log") }.count == 1)
    }

    /// A deferred transaction whose first statement writes waits for the lock.
    ///
    /// A query before the statement would make the transaction read, and SQLite would then return
    /// `SQLITE_BUSY` at once.
    @Test(arguments: [false, true])
    func aWriteInADeferredTransactionWaits(isObserved: Bool) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(20)
        let waiting = try DatabaseQueue(
            path: folder.path + "/db.sqlite",
            configuration: configuration
        )
        try other.write { try $0.execute(sql: "CREATE TABLE player (id INTEGER PRIMARY KEY)") }
        let observer = RecordingObserver { $0.tableName == "player" }
        if isObserved { waiting.add(transactionObserver: observer) }
        try waiting.write { try Player(id: 1).insert($0) }
        let (isWriting, mayEnd) = (Gate(), Gate())
        let holder = Background { [other] in
            try other.write { db in
                try db.execute(sql: "INSERT INTO player VALUES (2)")
                isWriting.open()
                try mayEnd.wait()
            }
        }
        try isWriting.wait()
        let writer = Background {
            try waiting.writeInTransaction(.deferred) { db in
                try Player(id: 3).insert(db)
                return .commit
            }
        }
        try eventually { waiting.status().busyCount > 0 || writer.isDone }
        mayEnd.open()
        try holder.value()
        try writer.value()
        #expect(!isObserved || observer.log.filter { $0.hasPrefix("insert") }.count == 2)
    }

    /// The region of an observation with a constant region follows a view.
    @Test func aConstantRegionFollowsAViewThatIsRedefined() throws {
        try pool.write {
            try $0.execute(
                sql: "CREATE TABLE t (x); CREATE TABLE u (x); CREATE VIEW v AS SELECT x FROM t"
            )
        }
        let last = Lock<Int?>(nil)
        let cancellable = ValueObservation.trackingConstantRegion {
            try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM v") ?? -1
        }
        .start(in: pool, scheduling: .async(onQueue: DispatchQueue(label: "constant"))) {
            Issue.record($0)
        } onChange: { value in
            last.withLock { $0 = value }
        }
        try eventually { last.withLock { $0 } == 0 }
        try pool.write { db in
            try db.execute(
                sql: """
                    DROP VIEW v; CREATE VIEW v AS SELECT x FROM u; INSERT INTO u VALUES (1);
                    INSERT INTO t VALUES (1)
                    """
            )
        }
        try eventually { last.withLock { $0 } == 1 }
        try pool.write { try $0.execute(sql: "INSERT INTO u VALUES (1)") }
        try eventually { last.withLock { $0 } == 2 }
        cancellable.cancel()
    }

    /// The region of a region observation follows a view that either connection redefines.
    @Test(arguments: [false, true])
    func aRegionObservationFollowsAViewThatIsRedefined(isForeign: Bool) throws {
        try pool.write {
            try $0.execute(
                sql: "CREATE TABLE t (x); CREATE TABLE u (x); CREATE VIEW v AS SELECT x FROM t"
            )
        }
        let count = Lock(0)
        let cancellable = DatabaseRegionObservation(
            tracking: SQLRequest<Row>(sql: "SELECT * FROM v")
        )
        .start(in: pool) {
            Issue.record($0)
        } onChange: { _ in
            count.withLock { $0 += 1 }
        }
        try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        #expect(count.withLock { $0 } == 1)
        try (isForeign ? other : pool).write {
            try $0.execute(sql: "DROP VIEW v; CREATE VIEW v AS SELECT x FROM u")
        }
        try pool.write { try $0.execute(sql: "INSERT INTO u VALUES (1)") }
        #expect(count.withLock { $0 } == 2)
        try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        #expect(count.withLock { $0 } == 2)
        cancellable.cancel()
    }
}
