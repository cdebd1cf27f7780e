import TestSupport
import Testing

@testable import SQLiteEngine

struct SchemaTests {
    @Test func namesOfTablesViewsAndTriggersAreCaseInsensitive() throws {
        let queue = try DatabaseQueue()
        try queue.inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE Player (id); CREATE VIEW Names AS SELECT 1;
                    CREATE TRIGGER Watch AFTER INSERT ON Player BEGIN SELECT 1; END;
                    CREATE TEMP TABLE scratch (id);
                    ATTACH DATABASE ':memory:' AS Other; CREATE TABLE other.far (id);
                    """
            )
            #expect(try db.tableExists("PLAYER"))
            #expect(try db.tableExists("player", in: "Main"))
            #expect(try !db.tableExists("player", in: "temp"))
            #expect(try db.tableExists("scratch", in: "TEMP"))
            #expect(try db.tableExists("far"))
            #expect(try db.tableExists("far", in: "other"))
            #expect(try db.viewExists("names"))
            #expect(try !db.tableExists("names"))
            #expect(try db.triggerExists("watch"))
            #expect(try !db.triggerExists("missing"))
            let error = #expect(throws: DatabaseError.self) {
                _ = try db.tableExists("player", in: "nowhere")
            }
            #expect(error?.message == "no such schema: nowhere")
            try db.execute(sql: "DETACH DATABASE other")
            #expect(try !db.tableExists("far"))
        }
    }

    @Test func changesAreVisibleImmediatelyAndRollBack() throws {
        let queue = try DatabaseQueue()
        try queue.inDatabase { db in
            #expect(try !db.tableExists("t"))
            try db.inTransaction {
                try db.execute(sql: "CREATE TABLE t (a)")
                #expect(try db.tableExists("t"))
                try db.inSavepoint {
                    try db.execute(sql: "DROP TABLE t")
                    #expect(try !db.tableExists("t"))
                    return .rollback
                }
                #expect(try db.tableExists("t"))
                return .rollback
            }
            #expect(try !db.tableExists("t"))
        }
        try? queue.write { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            #expect(try db.tableExists("t"))
            throw RecordingObserver.Refusal()
        }
        #expect(try queue.read { db in try !db.tableExists("t") })
    }

    @Test func theSchemaIsReadOnce() throws {
        let queue = try DatabaseQueue()
        try queue.inDatabase { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            _ = try db.tableExists("t")
            var statements: [String] = []
            db.trace { statements.append($0.description) }
            #expect(try db.tableExists("t"))
            #expect(try !db.tableExists("u"))
            #expect(try !db.viewExists("t", in: "main"))
            #expect(statements == [])
        }
    }

    @Test func theConnectionsOfAPoolObserveAChangeImmediately() throws {
        let folder = TemporaryFolder()
        let pool = try DatabasePool(path: folder.file("db.sqlite"))
        try pool.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
        let columns = { (db: Database) in
            try db.cachedStatement(sql: "SELECT * FROM t").columnNames
        }
        #expect(try pool.read { db in try db.tableExists("t") && !db.tableExists("u") })
        #expect(try pool.read(columns) == ["a"])
        try pool.write { db in
            try db.execute(sql: "CREATE TABLE u (a)")
            try db.execute(sql: "ALTER TABLE t ADD COLUMN b")
            #expect(try pool.read { db in try !db.tableExists("u") })
        }
        #expect(try pool.read { db in try db.tableExists("u") })
        #expect(try pool.read(columns) == ["a", "b"])
    }

    @Test func anExternalChangeIsVisibleAfterTheNextStatement() throws {
        let folder = TemporaryFolder()
        let path = folder.file("db.sqlite")
        let pool = try DatabasePool(path: path)
        #expect(try pool.read { db in try !db.tableExists("t") })
        // Because the path is spelled differently, the pool treats the queue's changes as those of
        // another process.
        let queue = try DatabaseQueue(path: folder.file("./db.sqlite"))
        try queue.write { db in try db.execute(sql: "CREATE TABLE t (a)") }
        try pool.read { db in
            try db.execute(sql: "SELECT 1 FROM sqlite_master")
            #expect(try db.tableExists("t"))
        }
    }

    @Test func otherWritesDoNotInvalidateTheSchema() throws {
        let folder = TemporaryFolder()
        let pool = try DatabasePool(path: folder.file("db.sqlite"))
        try pool.write { db in
            try db.execute(sql: "CREATE TABLE t (a)")
        }
        try pool.write { db in
            _ = try db.tableExists("t")
            try db.execute(sql: "INSERT INTO t VALUES (1)")
        }
        try pool.write { db in
            var statements: [String] = []
            db.trace { statements.append($0.description) }
            let exists = try db.tableExists("t")
            #expect(exists)
            #expect(try db.tableExists("t"))
            db.trace()
            #expect(!statements.contains { $0.contains("sqlite_master") })
            #expect(statements.count <= 1)
        }
    }
}
