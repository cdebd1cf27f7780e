import Telemetry
import TestSupport
import Testing

@testable import SQLiteEngine

@Suite(.timeLimit(.minutes(1)))
struct ConfigurationTests {
    private let folder = TemporaryFolder()

    @Test func theDefaultsAreAsDocumented() {
        let configuration = Configuration()
        #expect(configuration.foreignKeysEnabled)
        #expect(configuration.maximumReaderCount == 5)
        #expect(!configuration.readonly)
        #expect(!configuration.allowsUnsafeTransactions)
        #expect(!configuration.publicStatementArguments)
        #expect(!configuration.acceptsDoubleQuotedStringLiterals)
        #expect(configuration.label == nil)
        #expect(configuration.readonlyBusyMode == nil)
    }

    @Test func aQueueOnAFileAndASnapshotReportOneReader() throws {
        let queue = try DatabaseQueue(path: folder.file("queue.sqlite"))
        #expect(queue.configuration.maximumReaderCount == 1)
        #expect(try DatabaseQueue().configuration.maximumReaderCount == 5)
        let pool = try DatabasePool.withTable(in: folder)
        #expect(pool.configuration.maximumReaderCount == 5)
        #expect(try pool.makeSnapshot().configuration.maximumReaderCount == 1)
    }

    @Test func closuresPrepareEachConnectionInOrder() throws {
        let calls = Lock<[String]>([])
        let pool = try DatabasePool(
            path: folder.file(),
            configuration: .with {
                $0.label = "p"
                for number in 1...2 {
                    $0.prepareDatabase { db in
                        calls.withLock { $0.append("\(db.label) \(number)") }
                    }
                }
            }
        )
        #expect(calls.withLock { $0 } == ["p.writer 1", "p.writer 2"])
        try pool.read { _ in }
        #expect(calls.withLock { $0 }.dropFirst(2) == ["p.reader.1 1", "p.reader.1 2"])
        let snapshot = try pool.makeSnapshot()
        #expect(calls.withLock { $0 }.dropFirst(4) == ["p.snapshot.1 1", "p.snapshot.1 2"])
        try snapshot.close()
    }

    @Test func foreignKeysAreEnforcedUnlessDisabled() throws {
        let sql = """
            CREATE TABLE parent (id INTEGER PRIMARY KEY);
            CREATE TABLE child (parent REFERENCES parent);
            INSERT INTO child VALUES (1);
            """
        let error = #expect(throws: DatabaseError.self) {
            try DatabaseQueue().write { db in try db.execute(sql: sql) }
        }
        #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY)
        let queue = try DatabaseQueue(configuration: .with { $0.foreignKeysEnabled = false })
        try queue.write { db in try db.execute(sql: sql) }
    }

    @Test func doubleQuotedStringsThrowUnlessAccepted() throws {
        let sql = "SELECT \"text\""
        #expect(throws: DatabaseError.self) {
            try DatabaseQueue().read { db in try String.fetchOne(db, sql: sql) }
        }
        let queue = try DatabaseQueue(
            configuration: .with { $0.acceptsDoubleQuotedStringLiterals = true }
        )
        #expect(try queue.read { db in try String.fetchOne(db, sql: sql) } == "text")
    }

    @Test func errorsShowArgumentsOnlyIfAllowed() throws {
        for isPublic in [false, true] {
            let queue = try DatabaseQueue.withTable(
                configuration: .with { $0.publicStatementArguments = isPublic }
            )
            let error = #expect(throws: DatabaseError.self) {
                try queue.write { db in
                    try db.insert(4_711)
                    try db.insert(4_711)
                }
            }
            #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
            #expect(error?.description.contains("4711") == isPublic)
        }
    }
}
