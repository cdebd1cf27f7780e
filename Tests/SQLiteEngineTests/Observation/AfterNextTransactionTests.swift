import Telemetry
import Testing

@testable import SQLiteEngine

struct AfterNextTransactionTests {
    private final class Log: Sendable {
        private let lines = Lock<[String]>([])
        func append(_ line: String) { lines.withLock { $0.append(line) } }
        func take() -> [String] {
            lines.withLock { lines in
                defer { lines = [] }
                return lines
            }
        }
    }

    @Test(arguments: ["INSERT INTO t VALUES (1)", "SELECT 1", ""])
    func theClosureRunsOnceAtTheEndOfTheTransaction(sql: String) throws {
        let queue = try DatabaseQueue()
        let log = Log()
        try queue.inDatabase { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            for kind in [Database.TransactionKind.deferred, .immediate, .exclusive] {
                for completion in [Database.TransactionCompletion.commit, .rollback] {
                    try db.inTransaction(kind) {
                        db.afterNextTransaction(
                            onCommit: { _ in log.append("commit") },
                            onRollback: { _ in log.append("rollback") }
                        )
                        try db.execute(sql: sql)
                        #expect(log.take() == [])
                        return completion
                    }
                    #expect(log.take() == [completion == .commit ? "commit" : "rollback"])
                    try db.execute(sql: "INSERT INTO t VALUES (1)")
                    #expect(log.take() == [])
                }
            }
        }
    }

    @Test func insideASavepointTheClosureWaitsForTheTransaction() throws {
        let queue = try DatabaseQueue()
        let log = Log()
        try queue.write { db in
            try db.inSavepoint {
                db.afterNextTransaction { _ in log.append("commit") }
                return .rollback
            }
            #expect(log.take() == [])
        }
        #expect(log.take() == ["commit"])
    }

    @Test func closuresMayBeNestedAndUseTheDatabase() throws {
        let queue = try DatabaseQueue()
        let log = Log()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            db.afterNextTransaction { db in
                log.append("first")
                db.afterNextTransaction { _ in log.append("second") }
                #expect(throws: Never.self) { try db.execute(sql: "INSERT INTO t VALUES (1)") }
            }
        }
        #expect(log.take() == ["first", "second"])
    }

    @Test func registeringDoesNotReprepareStatements() throws {
        let queue = try DatabaseQueue()
        try queue.inDatabase { db in
            try db.execute(sql: "CREATE TABLE t (a)")
            let statement = try db.cachedStatement(sql: "INSERT INTO t VALUES (1)")
            try statement.execute()
            try db.inTransaction {
                db.afterNextTransaction { _ in }
                try statement.execute()
                return .commit
            }
            #expect(!db.analyzesStatements)
            #expect(try db.cachedStatement(sql: "INSERT INTO t VALUES (1)") === statement)
        }
    }

    @Test func registeringInAReadIsAFatalError() async {
        await #expect(processExitsWith: .failure) {
            let queue = try DatabaseQueue()
            try queue.read { db in db.afterNextTransaction { _ in } }
        }
    }
}
