import Testing

@testable import SQLiteEngine

/// Tests the observation of deletions of whole tables.
///
/// By default, SQLite does not visit the rows in such deletions.
struct ObservedDeletionTests {
    private func withTable(_ body: (Database) throws -> Void) throws {
        let queue = try DatabaseQueue()
        try queue.inDatabase { db in
            try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
            try body(db)
        }
    }

    private let expectedLog = ["delete t 1", "delete t 2", "willCommit", "didCommit"]

    @Test func deletingAWholeTableIsReported() throws {
        try withTable { db in
            let observer = RecordingObserver()
            db.add(transactionObserver: observer)
            try db.execute(sql: "DELETE FROM t")
            #expect(observer.takeLog() == expectedLog)
        }
    }

    @Test(arguments: [false, true])
    func statementsOlderThanTheObserverReportDeletions(hasOtherObserver: Bool) throws {
        try withTable { db in
            let other = RecordingObserver { _ in false }
            if hasOtherObserver { db.add(transactionObserver: other) }
            let retained = try db.makeStatement(sql: "DELETE FROM t")
            let cached = try db.cachedStatement(sql: "DELETE FROM t")
            try retained.execute()
            try cached.execute()
            let observer = RecordingObserver()
            db.add(transactionObserver: observer)
            try db.execute(sql: "INSERT INTO t VALUES (1), (2)")
            _ = observer.takeLog()
            try retained.execute()
            #expect(observer.takeLog() == expectedLog)
            try db.execute(sql: "INSERT INTO t VALUES (1), (2)")
            _ = observer.takeLog()
            try cached.execute()
            #expect(observer.takeLog() == expectedLog)
        }
    }

    @Test func deletionsAreReportedAfterASchemaChange() throws {
        try withTable { db in
            let observer = RecordingObserver { $0.tableName == "t" }
            let statement = try db.makeStatement(sql: "DELETE FROM t")
            let drop = try db.makeStatement(sql: "DROP TABLE IF EXISTS other")
            db.add(transactionObserver: observer)
            try drop.execute()
            try db.execute(sql: "CREATE TABLE other (a)")
            try drop.execute()
            _ = observer.takeLog()
            try statement.execute()
            #expect(observer.takeLog() == expectedLog)
        }
    }

    @Test(
        arguments: [
            "TABLE t", "VIEW v", "INDEX i", "TRIGGER tr", "TABLE temporary", "TABLE full",
        ]
    )
    func droppingAnObjectReportsNoDeletions(object: String) throws {
        try withTable { db in
            try db.execute(
                sql: """
                    CREATE VIEW v AS SELECT 1; CREATE INDEX i ON t (a);
                    CREATE TRIGGER tr AFTER INSERT ON t BEGIN SELECT 1; END;
                    CREATE TEMP TABLE temporary (a); INSERT INTO temporary VALUES (1);
                    CREATE VIRTUAL TABLE full USING fts4(a); INSERT INTO full VALUES ('a');
                    """
            )
            let prepared = try db.makeStatement(sql: "DROP \(object)")
            let observer = RecordingObserver()
            db.add(transactionObserver: observer)
            try prepared.execute()
            #expect(!observer.takeLog().contains { $0.hasPrefix("delete \(object.suffix(1))") })
            #expect(throws: DatabaseError.self) { try db.execute(sql: "DROP \(object)") }
        }
    }

    @Test func changesOfShadowTablesAreReportedToObserversOfTheVirtualTable() throws {
        try withTable { db in
            try db.execute(sql: "CREATE VIRTUAL TABLE full USING fts4(a)")
            let observer = RecordingObserver { $0.tableName == "full" }
            db.add(transactionObserver: observer)
            try db.execute(sql: "INSERT INTO full VALUES ('a')")
            #expect(observer.takeLog().contains { $0.hasPrefix("insert full_content") })
        }
    }

    @Test func withoutObserversAWholeTableIsDeletedInOneStep() throws {
        try withTable { db in
            let observer = RecordingObserver()
            db.add(transactionObserver: observer)
            try db.execute(sql: "DELETE FROM t WHERE 0")
            db.remove(transactionObserver: observer)
            #expect(db.authorizer?.isInstalled == true)
            #expect(db.observationBroker?.observesDeletions(in: "t") == false)
            try db.execute(sql: "DELETE FROM t")
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") == 0)
        }
    }
}
