import Testing

@testable import SQLiteEngine

struct ObservedSavepointTests {
    private func withObserver(
        _ body: (Database, RecordingObserver) throws -> Void
    ) throws {
        let queue = try DatabaseQueue()
        try queue.inDatabase { db in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY)")
            let observer = RecordingObserver()
            db.add(transactionObserver: observer)
            try body(db, observer)
        }
    }

    @Test func changesAreDeferredUntilTheRelease() throws {
        try withObserver { db, observer in
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO t VALUES (1)")
                try db.inSavepoint {
                    try db.execute(sql: "INSERT INTO t VALUES (2)")
                    #expect(observer.takeLog() == ["insert t 1"])
                    return .commit
                }
                #expect(observer.takeLog() == ["insert t 2"])
                return .commit
            }
            #expect(observer.takeLog() == ["willCommit", "didCommit"])
        }
    }

    @Test func rolledBackChangesAreNeverReported() throws {
        try withObserver { db, observer in
            try db.inTransaction {
                try db.inSavepoint {
                    try db.execute(sql: "INSERT INTO t VALUES (1)")
                    try db.inSavepoint {
                        try db.execute(sql: "INSERT INTO t VALUES (2)")
                        return .rollback
                    }
                    try db.execute(sql: "INSERT INTO t VALUES (3)")
                    return .commit
                }
                return .commit
            }
            #expect(observer.takeLog() == ["insert t 1", "insert t 3", "willCommit", "didCommit"])
        }
    }

    @Test func aSavepointMayBeRolledBackSeveralTimes() throws {
        try withObserver { db, observer in
            try db.execute(
                sql: """
                    SAVEPOINT a; INSERT INTO t VALUES (1);
                    SAVEPOINT b; INSERT INTO t VALUES (2);
                    ROLLBACK TO SAVEPOINT B; INSERT INTO t VALUES (3);
                    ROLLBACK TRANSACTION TO b; INSERT INTO t VALUES (4);
                    RELEASE b;
                    """
            )
            #expect(observer.takeLog() == [])
            try db.execute(sql: "RELEASE SAVEPOINT a")
            #expect(observer.takeLog() == ["insert t 1", "insert t 4", "willCommit", "didCommit"])
        }
    }

    @Test func savepointsWithTheSameNameNest() throws {
        try withObserver { db, observer in
            try db.execute(
                sql: """
                    BEGIN;
                    SAVEPOINT a; INSERT INTO t VALUES (1);
                    SAVEPOINT a; INSERT INTO t VALUES (2);
                    ROLLBACK TO a; RELEASE a;
                    INSERT INTO t VALUES (3);
                    """
            )
            #expect(observer.takeLog() == [])
            try db.execute(sql: "RELEASE a")
            #expect(observer.takeLog() == ["insert t 1", "insert t 3"])
            try db.execute(sql: "COMMIT")
            #expect(observer.takeLog() == ["willCommit", "didCommit"])
        }
    }

    @Test func committingReleasesAllSavepoints() throws {
        try withObserver { db, observer in
            try db.execute(sql: "BEGIN; SAVEPOINT a; INSERT INTO t VALUES (1); COMMIT")
            #expect(observer.takeLog() == ["insert t 1", "willCommit", "didCommit"])
            try db.execute(sql: "BEGIN; INSERT INTO t VALUES (2)")
            #expect(observer.takeLog() == ["insert t 2"])
            try db.execute(sql: "ROLLBACK")
        }
    }

    @Test func aSavepointOlderThanItsObserverIsTracked() throws {
        let queue = try DatabaseQueue()
        try queue.inDatabase { db in
            try db.execute(sql: "CREATE TABLE t (id); SAVEPOINT a")
            let observer = RecordingObserver()
            db.add(transactionObserver: observer)
            try db.execute(sql: "INSERT INTO t VALUES (1); ROLLBACK TO a; RELEASE a")
            #expect(observer.takeLog() == ["willCommit", "didCommit"])
        }
    }

    @Test func aRemovedObserverIsNotNotifiedOfDeferredChanges() throws {
        try withObserver { db, observer in
            try db.execute(sql: "BEGIN; SAVEPOINT a; INSERT INTO t VALUES (1)")
            let other = RecordingObserver()
            db.add(transactionObserver: other)
            db.remove(transactionObserver: observer)
            try db.execute(sql: "COMMIT")
            #expect(observer.takeLog() == [])
            #expect(other.takeLog() == ["willCommit", "didCommit"])
        }
    }
}
