import CSQLite
import TestSupport
import Testing

@testable import SQLiteEngine

struct TransactionObserverTests {
    private func makeQueue() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b); CREATE TABLE u (a)")
        }
        return queue
    }

    @Test func reportsChangesThenTheCommit() throws {
        let queue = try makeQueue()
        let observer = RecordingObserver()
        queue.add(transactionObserver: observer)
        try queue.write { db in
            try db.execute(sql: "INSERT INTO t (a) VALUES (1), (2)")
            try db.execute(sql: "UPDATE t SET a = 3 WHERE id = 2")
            try db.execute(sql: "DELETE FROM t WHERE id = 1")
        }
        #expect(
            observer.takeLog() == [
                "insert t 1", "insert t 2", "update t 2", "delete t 1", "willCommit", "didCommit",
            ]
        )
    }

    @Test func reportsEachStatementOutsideATransactionAsATransaction() throws {
        let queue = try makeQueue()
        let observer = RecordingObserver()
        queue.add(transactionObserver: observer)
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "INSERT INTO t (a) VALUES (1); INSERT INTO t (a) VALUES (2)")
        }
        #expect(
            observer.takeLog() == [
                "insert t 1", "willCommit", "didCommit", "insert t 2", "willCommit", "didCommit",
            ]
        )
    }

    @Test func reportsRollbacks() throws {
        let queue = try makeQueue()
        let observer = RecordingObserver()
        queue.add(transactionObserver: observer)
        try queue.writeInTransaction { db in
            try db.execute(sql: "INSERT INTO t (a) VALUES (1)")
            return .rollback
        }
        #expect(observer.takeLog() == ["insert t 1", "didRollback"])
        #expect(throws: RecordingObserver.Refusal.self) {
            try queue.write { db in
                try db.execute(sql: "INSERT INTO t (a) VALUES (1)")
                throw RecordingObserver.Refusal()
            }
        }
        #expect(observer.takeLog() == ["insert t 1", "didRollback"])
    }

    @Test func reportsTransactionsThatRawSQLBeginsAndEnds() throws {
        let queue = try makeQueue()
        let observer = RecordingObserver()
        queue.add(transactionObserver: observer)
        try queue.inDatabase { db in
            try db.execute(sql: "BEGIN; INSERT INTO t (a) VALUES (1); COMMIT")
            #expect(observer.takeLog() == ["insert t 1", "willCommit", "didCommit"])
            try db.execute(sql: "BEGIN; INSERT INTO t (a) VALUES (1); ROLLBACK")
            #expect(observer.takeLog() == ["insert t 2", "didRollback"])
            try db.execute(sql: "BEGIN DEFERRED; COMMIT")
            #expect(observer.takeLog() == ["willCommit", "didCommit"])
            try db.execute(sql: "SAVEPOINT s; RELEASE s")
            #expect(observer.takeLog() == ["willCommit", "didCommit"])
        }
    }

    @Test(arguments: [false, true])
    func throwingInWillCommitRollsBackAndIsRethrown(isRaw: Bool) throws {
        let queue = try makeQueue()
        let observer = RecordingObserver()
        queue.add(transactionObserver: observer)
        observer.preventsCommits = true
        #expect(throws: RecordingObserver.Refusal.self) {
            if isRaw {
                try queue.inDatabase { db in
                    try db.execute(sql: "BEGIN; INSERT INTO t (a) VALUES (1); COMMIT")
                }
            } else {
                try queue.write { db in try db.execute(sql: "INSERT INTO t (a) VALUES (1)") }
            }
        }
        #expect(observer.takeLog() == ["insert t 1", "willCommit", "didRollback"])
        observer.preventsCommits = false
        let count = try queue.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") }
        #expect(count == 0)
    }

    @Test func throwingInWillCommitStopsImplicitAndEmptyTransactions() throws {
        let queue = try makeQueue()
        let observer = RecordingObserver()
        queue.add(transactionObserver: observer)
        observer.preventsCommits = true
        try queue.inDatabase { db in
            #expect(throws: RecordingObserver.Refusal.self) {
                try db.execute(sql: "INSERT INTO t (a) VALUES (1)")
            }
            #expect(throws: RecordingObserver.Refusal.self) {
                try db.execute(sql: "BEGIN DEFERRED; COMMIT")
            }
            let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
            #expect(count == 0)
        }
        #expect(
            observer.takeLog() == [
                "insert t 1", "willCommit", "didRollback", "willCommit", "didRollback",
            ]
        )
    }

    @Test func doesNotReportFailedStatementsOutsideATransaction() throws {
        let queue = try makeQueue()
        let observer = RecordingObserver()
        try queue.write { db in try db.execute(sql: "INSERT INTO t (id) VALUES (1)") }
        queue.add(transactionObserver: observer)
        queue.inDatabase { db in
            _ = try? db.execute(sql: "INSERT INTO t (id) VALUES (1)")
        }
        #expect(observer.takeLog() == [])
    }

    @Test func reportsARollbackCausedByAConflict() throws {
        let queue = try makeQueue()
        let observer = RecordingObserver()
        try queue.write { db in try db.execute(sql: "INSERT INTO t (id) VALUES (1)") }
        queue.add(transactionObserver: observer)
        #expect(throws: DatabaseError.self) {
            try queue.write { db in
                try db.execute(sql: "INSERT INTO t (id) VALUES (2)")
                try db.execute(sql: "INSERT OR ROLLBACK INTO t (id) VALUES (1)")
            }
        }
        #expect(observer.takeLog() == ["insert t 2", "didRollback"])
    }

    @Test func reportsOnlyObservedKinds() throws {
        let queue = try makeQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TRIGGER tr AFTER INSERT ON t BEGIN INSERT INTO u (a) VALUES (NEW.a); END
                    """
            )
        }
        var kinds: [DatabaseEventKind] = []
        let observer = RecordingObserver { kind in
            kinds.append(kind)
            return kind.tableName == "u"
        }
        queue.add(transactionObserver: observer)
        try queue.write { db in
            try db.execute(sql: "INSERT INTO t (a) VALUES (1)")
            try db.execute(sql: "UPDATE t SET a = 1, b = 2")
        }
        #expect(observer.takeLog() == ["insert u 1", "willCommit", "didCommit"])
        let columns = kinds.compactMap { kind -> Set<String>? in
            if case .update("t", let columns) = kind { columns } else { nil }
        }
        #expect(columns == [["a", "b"]])
    }

    @Test func reportsDeletionsByForeignKeys() throws {
        let queue = try DatabaseQueue()
        let observer = RecordingObserver { $0.tableName == "child" }
        queue.add(transactionObserver: observer)
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE parent (id INTEGER PRIMARY KEY);
                    CREATE TABLE child (parent REFERENCES parent ON DELETE CASCADE);
                    INSERT INTO parent VALUES (1);
                    INSERT INTO child VALUES (1), (1);
                    DELETE FROM parent;
                    """
            )
        }
        #expect(
            observer.takeLog() == [
                "insert child 1", "insert child 2", "delete child 1", "delete child 2",
                "willCommit", "didCommit",
            ]
        )
    }

    @Test func anObserverMayStopUntilTheNextTransaction() throws {
        let queue = try makeQueue()
        let observer = RecordingObserver()
        let other = RecordingObserver()
        observer.reaction = { [unowned observer] line, _ in
            if line.hasPrefix("insert") {
                observer.stopObservingDatabaseChangesUntilNextTransaction()
            }
        }
        queue.add(transactionObserver: observer)
        queue.add(transactionObserver: other)
        for _ in 0..<2 {
            try queue.write { db in
                try db.execute(sql: "INSERT INTO t (a) VALUES (1), (2)")
                try db.execute(sql: "DELETE FROM t")
            }
            #expect(observer.takeLog() == ["insert t 1", "willCommit", "didCommit"])
            #expect(other.takeLog().count == 6)
        }
    }

    @Test func stoppingOutsideACallbackIsAFatalError() async {
        await #expect(processExitsWith: .failure) {
            RecordingObserver().stopObservingDatabaseChangesUntilNextTransaction()
        }
    }

    @Test func observersMayUseTheDatabaseAfterTheTransaction() throws {
        let queue = try makeQueue()
        let observer = RecordingObserver { $0.tableName == "t" }
        observer.reaction = { line, db in
            guard line == "didCommit", let db else { return }
            #expect(!db.isInsideTransaction)
            try? db.inTransaction {
                try db.execute(sql: "INSERT INTO u (a) VALUES (1)")
                return .commit
            }
        }
        queue.add(transactionObserver: observer, extent: .nextTransaction)
        try queue.write { db in try db.execute(sql: "INSERT INTO t (a) VALUES (1)") }
        #expect(observer.takeLog() == ["insert t 1", "willCommit", "didCommit"])
        let count = try queue.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM u") }
        #expect(count == 1)
    }

    @Test func readsAreNotReportedAsTransactions() throws {
        let queue = try makeQueue()
        let observer = RecordingObserver()
        queue.add(transactionObserver: observer)
        _ = try queue.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") }
        _ = try? queue.read { _ in throw RecordingObserver.Refusal() }
        try queue.inDatabase { db in
            try db.readOnly {
                try db.inTransaction { .commit }
                try db.inTransaction { .rollback }
            }
        }
        #expect(observer.takeLog() == [])
    }

    @Test func aPoolReportsChangesOfItsWriter() throws {
        let folder = TemporaryFolder()
        let pool = try DatabasePool(path: folder.file("db.sqlite"))
        let observer = RecordingObserver()
        pool.add(transactionObserver: observer)
        try pool.write { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            try db.execute(sql: "INSERT INTO t VALUES (1)")
        }
        _ = try pool.read { db in try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") }
        #expect(observer.takeLog() == ["insert t 1", "willCommit", "didCommit"])
        pool.remove(transactionObserver: observer)
        try pool.write { db in try db.execute(sql: "INSERT INTO t VALUES (1)") }
        #expect(observer.takeLog() == [])
    }

    @Test func aCancelledTaskDoesNotPreventObserversFromUsingTheDatabase() async throws {
        let queue = try makeQueue()
        try await queue.write { db in try db.execute(sql: "INSERT INTO t (a) VALUES (1), (2)") }
        await #expect(throws: CancellationError.self) {
            try await queue.write { db in
                let cancellation = try #require(db.cancellation)
                db.add(
                    // Simulates an interrupt that arrives while the observer's statement runs.
                    function: DatabaseFunction("interrupted", argumentCount: 0) { _ in
                        cancellation.cancel()
                        return 1
                    }
                )
                db.afterNextTransaction(
                    onCommit: { _ in Issue.record("committed") },
                    onRollback: { db in
                        #expect(throws: Never.self) {
                            try db.execute(sql: "INSERT INTO u SELECT sum(interrupted()) FROM t")
                        }
                    }
                )
                cancellation.cancel()
            }
        }
        let count = try await queue.read { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM u")
        }
        #expect(count == 1)
    }

    // MARK: Extents

    @Test func anObserverWithTheDefaultExtentIsNotRetained() throws {
        let queue = try makeQueue()
        weak var weakObserver: RecordingObserver?
        do {
            let observer = RecordingObserver()
            weakObserver = observer
            queue.add(transactionObserver: observer)
        }
        #expect(weakObserver == nil)
        try queue.write { db in
            try db.execute(sql: "INSERT INTO t (a) VALUES (1)")
        }
        queue.inDatabase { db in #expect(!db.isObserved) }
    }

    @Test func anObserverOfTheNextTransactionIsRetainedUntilItsEnd() throws {
        let queue = try makeQueue()
        weak var weakObserver: RecordingObserver?
        do {
            let observer = RecordingObserver()
            weakObserver = observer
            queue.add(transactionObserver: observer, extent: .nextTransaction)
        }
        #expect(weakObserver != nil)
        try queue.write { db in
            try db.execute(sql: "INSERT INTO t (a) VALUES (1)")
            #expect(weakObserver?.log == ["insert t 1"])
        }
        #expect(weakObserver == nil)
    }

    @Test func anObserverForTheLifetimeOfTheDatabaseIsReleasedWithIt() throws {
        weak var weakObserver: RecordingObserver?
        do {
            let queue = try makeQueue()
            do {
                let observer = RecordingObserver()
                weakObserver = observer
                queue.add(transactionObserver: observer, extent: .databaseLifetime)
            }
            try queue.write { db in try db.execute(sql: "INSERT INTO t (a) VALUES (1)") }
            #expect(weakObserver?.log == ["insert t 1", "willCommit", "didCommit"])
        }
        #expect(weakObserver == nil)
    }

    @Test func hooksAreInstalledOnlyWhileThereAreObservers() throws {
        let queue = try makeQueue()
        queue.inDatabase { db in
            // `sqlite3_commit_hook` returns the context of the hook that it replaces.
            func hasHooks() -> Bool {
                let hook = sqlite3_commit_hook(db.sqliteConnection, nil, nil)
                return hook != nil
            }
            #expect(!hasHooks())
            let observer = RecordingObserver()
            db.add(transactionObserver: observer)
            #expect(db.isObserved)
            #expect(hasHooks())
            db.remove(transactionObserver: observer)
            #expect(!db.isObserved)
            #expect(!hasHooks())
        }
    }

    @Test func aCopiedEventStaysValid() throws {
        let queue = try makeQueue()
        final class CopyingObserver: TransactionObserver {
            var events: [DatabaseEvent] = []
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
            func databaseDidChange(with event: DatabaseEvent) { events.append(event.copy()) }
            func databaseDidCommit(_ db: Database) {}
            func databaseDidRollback(_ db: Database) {}
        }
        let observer = CopyingObserver()
        queue.add(transactionObserver: observer)
        try queue.write { db in
            try db.execute(sql: "INSERT INTO t (id) VALUES (7); ALTER TABLE t RENAME TO other")
        }
        let event = try #require(observer.events.first)
        #expect(event.kind == .insert)
        #expect(event.databaseName == "main")
        #expect(event.tableName == "t")
        #expect(event.rowID == 7)
    }
}
