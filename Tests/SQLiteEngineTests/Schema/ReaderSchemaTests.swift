import TestSupport
import Testing

@testable import SQLiteEngine

/// Tests which columns the readers of a pool report after the schema is changed through the pool.
@Suite(.timeLimit(.minutes(1)))
struct ReaderSchemaTests {
    private let folder = TemporaryFolder()
    private static let sql = "SELECT * FROM t"

    private func makePool(keepsReadTransactions: Bool = true) throws -> DatabasePool {
        try DatabasePool.withTable(
            in: folder,
            configuration: .with {
                $0.maximumReaderCount = 1
                $0.keepsReadTransactions = keepsReadTransactions
            }
        )
    }

    /// Returns the columns of a cached statement before its first step.
    private func columns(_ db: Database) throws -> [String] {
        try db.cachedStatement(sql: Self.sql).columnNames
    }

    @Test(arguments: [true, false])
    func aCachedStatementReportsANewColumnBeforeItsFirstStep(keepsReadTransactions: Bool) throws {
        let pool = try makePool(keepsReadTransactions: keepsReadTransactions)
        #expect(
            try pool.read { db in
                _ = try Row.fetchAll(db.cachedStatement(sql: Self.sql))
                return try columns(db)
            } == ["v"]
        )
        try pool.write { db in try db.execute(sql: "ALTER TABLE t ADD COLUMN w") }
        #expect(try pool.read(columns) == ["v", "w"])
        try pool.writeWithoutTransaction { db in
            try db.execute(sql: "ALTER TABLE t ADD COLUMN x")
        }
        #expect(try pool.unsafeRead(columns) == ["v", "w", "x"])
        try pool.write { db in try db.execute(sql: "ALTER TABLE t DROP COLUMN w") }
        #expect(
            try pool.read { db in try db.makeStatement(sql: Self.sql).columnNames }
                == ["v", "x"]
        )
    }

    @Test func aReadThatPrecedesTheChangeReportsOldColumnsAndTheNextReadNewColumns() throws {
        let pool = try makePool()
        try pool.read { db in
            #expect(try db.rowCount() == 0)
            try pool.write { db in try db.execute(sql: "ALTER TABLE t ADD COLUMN w") }
            #expect(try columns(db) == ["v"])
            #expect(try Row.fetchAll(db.cachedStatement(sql: Self.sql)).isEmpty)
            #expect(try columns(db) == ["v"])
        }
        #expect(try pool.read(columns) == ["v", "w"])
    }

    @Test func anUnsafeReadReportsTheNewColumnsAfterItsCursorEnds() throws {
        let pool = try makePool()
        try pool.write { db in
            try db.insert(1)
            try db.insert(2)
        }
        try pool.unsafeRead { db in
            let rows = try Row.fetchCursor(db, sql: "SELECT v, (SELECT max(v) FROM t) FROM t")
            #expect(try rows.next()?[0] == 1)
            try pool.write { db in try db.execute(sql: "ALTER TABLE t ADD COLUMN w") }
            // The cursor keeps its state, and therefore the old columns.
            #expect(try columns(db) == ["v"])
            #expect(try rows.next()?[0] == 2)
            #expect(try rows.next() == nil)
            #expect(try columns(db) == ["v", "w"])
        }
        #expect(try pool.read(columns) == ["v", "w"])
    }

    @Test func aSnapshotKeepsItsColumns() throws {
        let pool = try makePool()
        let snapshot = try pool.makeSnapshot()
        try pool.write { db in try db.execute(sql: "ALTER TABLE t ADD COLUMN w") }
        for _ in 0..<2 { #expect(try snapshot.read(columns) == ["v"]) }
        #expect(try pool.makeSnapshot().read(columns) == ["v", "w"])
    }

    @Test func aChangeThatIsRolledBackIsNotReported() throws {
        let pool = try makePool()
        #expect(try pool.read(columns) == ["v"])
        try pool.writeInTransaction { db in
            try db.execute(sql: "ALTER TABLE t ADD COLUMN w")
            #expect(try columns(db) == ["v", "w"])
            #expect(try pool.read(columns) == ["v"])
            return .rollback
        }
        #expect(try pool.read(columns) == ["v"])
        #expect(try pool.writeWithoutTransaction(columns) == ["v"])
    }
}
