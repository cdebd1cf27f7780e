import Findings
import SQLiteWatch
import Telemetry
import TestSupport
import Testing

@testable import SQLTrace

private let millisecond: UInt64 = 1_000_000

/// Made-up executions on a few connections, with a clock that only they advance.
private struct Program {
    let checks: StatementChecks
    private var time: UInt64 = 1_000 * millisecond
    private var isOpen: [UInt64: Bool] = [:]

    init(_ settings: CheckSettings = CheckSettings()) {
        checks = StatementChecks(settings) { "program\($0)" }
    }

    var now: UInt64 { time }

    mutating func pause(_ milliseconds: UInt64) { time += milliseconds * millisecond }

    /// Adds an execution that takes 10 µs, unless its length in milliseconds is specified.
    mutating func run(
        _ sql: String,
        on connection: UInt64 = 1,
        of process: Int32 = 1,
        file: String? = "/a.db",
        result: Int32 = 0,
        start began: UInt64? = nil,
        length: UInt64? = nil,
        waited: Double = 0,
        rows: UInt64 = 0,
        steps: UInt32 = 10,
        staysOpen: Bool? = nil,
        keys: Bool? = true,
        handler: Bool? = true,
        version: String? = nil,
        counters: (inout WatchedCounters) -> Void = { _ in }
    ) {
        let start = began ?? time
        time += length.map { $0 * millisecond } ?? 10_000
        let key = UInt64(process) << 32 | connection
        let word = sql.prefix { $0 != " " }
        if result == 0 {
            if word == "BEGIN" || word == "SAVEPOINT" { isOpen[key] = true }
            if word == "COMMIT" || word == "ROLLBACK" && !sql.contains(" TO ") {
                isOpen[key] = false
            }
        }
        var execution = StatementExecution(
            end: time,
            process: process,
            thread: process,
            connection: connection,
            statement: 7,
            source: .step,
            database: file ?? ":memory:",
            sql: sql,
            result: result,
            isAutocommit: !(staysOpen ?? isOpen[key] ?? false),
            seconds: Double(time - start) / 1e9,
            start: start,
            secondsWaited: waited,
            rows: rows,
            steps: steps
        )
        var counted = WatchedCounters()
        counted.runs = 1
        counters(&counted)
        execution.counters = counted
        execution.firstForeignKeys = keys
        execution.hasBusyHandler = handler
        checks.add(execution, version: version)
    }

    mutating func run(each statements: [String]) { for sql in statements { run(sql) } }

    func close(_ connection: UInt64 = 1, of process: Int32 = 1) {
        checks.end(ConnectionKey(process: process, connection: connection), at: time)
    }

    /// The findings, as the names of rules with the first words of their statements.
    func found(keyTables: Set<String> = [], isWAL: Bool? = nil) -> [String] {
        observed(keyTables: keyTables, isWAL: isWAL).map { found in
            let words = (found.statement ?? "").split(separator: " ").prefix(2)
            return ([found.rule.rawValue] + words.map { String($0) }).joined(separator: " ")
        }
    }

    func observed(keyTables: Set<String> = [], isWAL: Bool? = nil) -> [CheckObservation] {
        checks.finish(keyTables: { _ in keyTables }, isWAL: { _ in isWAL })
    }
}

struct StatementChecksTests {
    private var program = Program()

    // MARK: Transactions

    @Test(arguments: [
        (["BEGIN", "SELECT a FROM t", "UPDATE t SET a = 1", "COMMIT"], true),
        (["SAVEPOINT s", "SELECT a FROM t", "INSERT INTO t VALUES(1)", "COMMIT"], true),
        (["BEGIN", "WITH c AS (SELECT 1) SELECT * FROM c, t", "DELETE FROM t", "COMMIT"], true),
        (["BEGIN IMMEDIATE", "SELECT a FROM t", "UPDATE t SET a = 1", "COMMIT"], false),
        (
            ["BEGIN", "UPDATE t SET a = 1", "SELECT a FROM t", "UPDATE t SET a = 2", "COMMIT"],
            false
        ),
        (["BEGIN", "SELECT a FROM t", "UPDATE t SET a = 1", "ROLLBACK"], false),
        (["SELECT a FROM t", "BEGIN", "UPDATE t SET a = 1", "COMMIT"], false),
        (["BEGIN", "SELECT 1", "PRAGMA user_version", "UPDATE t SET a = 1", "COMMIT"], false),
        (["BEGIN", "SELECT name FROM sqlite_master", "INSERT INTO t VALUES(1)", "COMMIT"], false),
        (
            ["BEGIN", "SELECT a FROM t", "CREATE TABLE u(a)", "INSERT INTO u VALUES(1)", "COMMIT"],
            false
        ),
        (["BEGIN", "SELECT a FROM t", "COMMIT", "UPDATE t SET a = 1"], false),
    ])
    mutating func aWriteAfterAReadIsAnUpgrade(statements: [String], isUpgrade: Bool) {
        program.run(each: statements)
        #expect(program.found().contains { $0.hasPrefix("upgrade") } == isUpgrade)
    }

    @Test mutating func anUpgradeThatFailsAtOnceCountsAlsoIfItIsRolledBack() throws {
        program.run(each: ["BEGIN", "SELECT a FROM t"])
        program.run("UPDATE t SET a = 1", result: 517)
        program.run("ROLLBACK")
        let found = program.observed()
        #expect(found.map(\.rule) == [.upgrade, .failed])
        #expect(found.first?.failures == 1)
        #expect(found.first?.related == "SELECT a FROM t")
    }

    @Test mutating func aTransactionAcrossAPauseNamesTheStatementBeforeIt() {
        program.run(each: ["BEGIN", "UPDATE t SET a = 1"])
        program.pause(300)
        program.run(each: ["SELECT a FROM t", "COMMIT"])
        let found = program.observed()
        #expect(found.map(\.statement) == ["UPDATE t SET a = ?"])
        #expect(found.first.map { $0.measure > 0.29 && $0.measure < 0.31 } == true)
    }

    @Test mutating func aTransactionWithoutALockMayPause() {
        program.run("BEGIN")
        program.pause(5_000)
        program.run(each: ["UPDATE t SET a = 1", "COMMIT"])
        program.pause(5_000)
        program.run(each: ["BEGIN", "UPDATE t SET a = 1"])
        program.pause(5_000)
        program.run("ROLLBACK")
        #expect(program.found().isEmpty)
    }

    @Test mutating func aTransactionThatIsClosedOrNeverEndedIsJudged() {
        program.run(each: ["BEGIN", "UPDATE t SET a = 1"])
        program.pause(300)
        program.close()
        program.run("BEGIN IMMEDIATE", on: 2)
        for _ in 0..<12 { program.run("INSERT INTO t VALUES(1)", on: 2, length: 100) }
        #expect(program.found() == ["open-transaction INSERT INTO", "open-transaction UPDATE t"])
    }

    @Test mutating func aTimeInWhichTheMachineStoppedIsNoPause() {
        program.run(each: ["BEGIN", "UPDATE t SET a = 1"])
        let start = program.now
        program.pause(60_000)
        program.checks.noteStall(from: start, to: program.now)
        program.run("COMMIT")
        #expect(program.found().isEmpty)
        program = Program()
        program.run(each: ["BEGIN", "UPDATE t SET a = 1"])
        // The usual time between two reads.
        for _ in 0..<30 {
            let start = program.now
            program.pause(10)
            program.checks.noteStall(from: start, to: program.now)
        }
        program.run("COMMIT")
        #expect(program.found() == ["open-transaction UPDATE t"])
    }

    @Test mutating func aQueryThatIsOpenWithoutWorkIsReported() {
        program.run("SELECT a FROM t", length: 1_500, steps: 100)
        // A query that computes something for a long time is not idle.
        program.run("SELECT b FROM t", length: 1_500, steps: 20_000_000)
        program.run("SELECT a FROM m", on: 9, file: nil, length: 1_500, steps: 100)
        #expect(program.found() == ["open-transaction SELECT a"])
    }

    @Test(arguments: [
        (["BEGIN", "UPDATE t SET a = 1", "!INSERT INTO t VALUES(1)", "COMMIT"], true),
        (["BEGIN", "UPDATE t SET a = 1", "!INSERT INTO t VALUES(1)", "ROLLBACK"], false),
        (["BEGIN", "SAVEPOINT s", "!INSERT INTO t VALUES(1)", "ROLLBACK TO s", "COMMIT"], false),
        (["BEGIN", "!INSERT INTO t VALUES(1)", "SAVEPOINT s", "ROLLBACK TO s", "COMMIT"], true),
        // An upsert by hand.
        (["BEGIN", "!INSERT INTO t VALUES(1)", "UPDATE t SET a = 1", "COMMIT"], false),
        (["BEGIN", "!INSERT INTO t VALUES(1)", "UPDATE u SET a = 1", "COMMIT"], true),
        (["!INSERT INTO t VALUES(1)", "BEGIN", "UPDATE t SET a = 1", "COMMIT"], false),
    ])
    mutating func aCommitAfterAFailureIsReported(statements: [String], isReported: Bool) {
        for sql in statements {
            program.run(sql.filter { $0 != "!" }, result: sql.hasPrefix("!") ? 2067 : 0)
        }
        #expect(program.found() == (isReported ? ["committed-failure INSERT INTO"] : []))
    }

    // MARK: Waits

    @Test mutating func aWaitForTheSameProcessIsReported() {
        program.run(each: ["BEGIN IMMEDIATE", "INSERT INTO t VALUES(1)"])
        program.pause(100)
        program.run("COMMIT")
        // The wait began before the commit.
        program.pause(10)
        program.run("INSERT INTO u VALUES(1)", on: 2, waited: 0.1)
        #expect(program.found() == ["self-wait INSERT INTO"])
    }

    @Test mutating func aWaitForAnotherProcessIsNotReported() {
        program.run("BEGIN IMMEDIATE", of: 2)
        program.run("INSERT INTO t VALUES(1)", of: 2)
        program.pause(100)
        program.run("COMMIT", of: 2)
        program.run("INSERT INTO u VALUES(1)", waited: 0.1)
        #expect(program.found().isEmpty)
    }

    @Test(arguments: [true, false])
    mutating func aWaitForAReadOfTheProcessDependsOnTheJournal(isWAL: Bool) {
        program.run("PRAGMA journal_mode = \(isWAL ? "WAL" : "DELETE")")
        program.run("BEGIN", on: 2)
        program.run("SELECT a FROM t", on: 2)
        program.pause(100)
        program.run("INSERT INTO t VALUES(1)", waited: 0.08)
        program.run("ROLLBACK", on: 2)
        #expect(program.found() == (isWAL ? [] : ["self-wait INSERT INTO"]))
    }

    @Test mutating func aConnectionWithoutATimeoutMattersOnlyWithOthers() {
        program.run("INSERT INTO t VALUES(1)", handler: false)
        program.close()
        program.run("INSERT INTO t VALUES(1)", on: 2)
        #expect(program.found().isEmpty)
        program = Program()
        program.run("INSERT INTO t VALUES(1)", on: 2)
        program.run("SELECT a FROM t", handler: false)
        #expect(program.found(isWAL: true).isEmpty)
        program = Program()
        program.run("INSERT INTO t VALUES(1)", on: 2)
        program.run("SELECT a FROM t", handler: false)
        #expect(program.found(isWAL: false) == ["no-timeout SELECT a"])
        program = Program()
        program.run("PRAGMA user_version", on: 2, of: 3)
        program.run("UPDATE t SET a = 1", handler: false)
        #expect(program.found(isWAL: true) == ["no-timeout UPDATE t"])
    }

    // MARK: Loops

    private mutating func list(_ rows: UInt64, _ gap: (inout Program) -> Void = { _ in }) {
        program.run("SELECT id FROM author", rows: rows)
        for id in 0..<rows {
            gap(&program)
            program.run("SELECT a FROM post WHERE author = \(id)", rows: 1)
        }
    }

    @Test mutating func aQueryForEachRowIsRepeated() {
        list(12)
        let found = program.observed()
        #expect(found.map(\.rule) == [.repeated])
        #expect(found.first?.related == "SELECT id FROM author")
        #expect(found.first?.count == 12)
    }

    @Test mutating func aListThatIsReadMeanwhileExplainsTheQueries() {
        for id in 0..<3 { program.run("SELECT a FROM post WHERE author = \(id)", rows: 1) }
        // The execution of the list ends last, and began before the others.
        let start = program.now
        for id in 0..<12 { program.run("SELECT a FROM post WHERE author = \(id)", on: 2, rows: 1) }
        for id in 0..<12 { program.run("SELECT a FROM post WHERE author = \(id)", rows: 1) }
        program.run("SELECT id FROM author", start: start, rows: 12)
        let found = program.observed()
        #expect(found.map(\.count) == [24])
        #expect(found.first?.related == "SELECT id FROM author")
    }

    @Test mutating func anEarlierListIsNotTheCause() {
        program.run("SELECT id FROM author", rows: 12)
        for _ in 0..<10 { program.run("PRAGMA user_version") }
        for id in 0..<12 { program.run("SELECT a FROM post WHERE author = \(id)", rows: 1) }
        #expect(program.found().isEmpty)
    }

    @Test mutating func fewOrSlowRepetitionsAreNoFinding() {
        list(9)
        program.pause(2_000)
        list(12) { $0.pause(60) }
        program.pause(2_000)
        for id in 0..<49 { program.run("SELECT b FROM t WHERE id = \(id)", rows: 1) }
        program.run("UPDATE t SET b = 1")
        for _ in 0..<200 { program.run("SELECT count(*) FROM t", rows: 1) }
        #expect(program.found().isEmpty)
        program = Program()
        for id in 0..<50 { program.run("SELECT b FROM t WHERE id = \(id)", rows: 1) }
        #expect(program.found() == ["repeated SELECT b"])
    }

    @Test mutating func aQueryForEachRowMayBeBetweenChanges() {
        list(12) { $0.run("UPDATE author SET n = 1") }
        #expect(program.found() == ["repeated SELECT a"])
        program = Program()
        list(12) { $0.run(each: ["BEGIN", "UPDATE author SET n = 1", "COMMIT"]) }
        #expect(program.found() == ["repeated SELECT a"])
        program = Program()
        // As tests do that share a database.
        for id in 0..<80 {
            program.run("INSERT INTO t VALUES(1)", file: nil)
            program.run("SELECT b FROM t WHERE id = \(id)", file: nil, rows: 1)
        }
        #expect(program.found().isEmpty)
    }

    @Test mutating func quotedNamesAreShownAndTextIsMasked() {
        program.run("CREATE TABLE \"t\" (\"my id\" INTEGER)")
        program.run("UPDATE \"t\" SET \"my id\" = \"secret\"", result: 8)
        #expect(program.observed().map(\.statement) == ["UPDATE \"t\" SET \"my id\" = ?"])
    }

    @Test mutating func testsInOneTransactionAreSeparatedBySavepoints() {
        program.run("BEGIN")
        for test in 0..<100 {
            program.run("SAVEPOINT s\(test)")
            program.run("SELECT b FROM t WHERE id = 1", rows: 1)
            program.run("ROLLBACK TO s\(test)")
        }
        program.run("ROLLBACK")
        #expect(program.found().isEmpty)
    }

    @Test mutating func aStatementPreparedInALoopIsReported() {
        for value in 0..<100 {
            program.run("SELECT b FROM t LIMIT \(value)", file: nil) { $0.preparations = 1 }
            program.run("UPDATE t SET a = ?", file: nil)
        }
        #expect(program.found() == ["prepared SELECT b"])
        program = Program()
        for test in 0..<300 {
            for _ in 0..<10 { program.run("SELECT \(test)", file: nil) }
            program.run("SELECT b FROM t", file: nil) { $0.preparations = 1 }
        }
        #expect(program.found().isEmpty)
    }

    @Test mutating func writesOutsideTransactionsCountInARow() {
        for _ in 0..<60 {
            program.run("INSERT INTO t VALUES(1)")
            program.run(each: ["BEGIN", "INSERT INTO u VALUES(1)", "COMMIT"])
        }
        #expect(program.observed().map(\.count) == [120])
        program = Program()
        for _ in 0..<60 { program.run("INSERT INTO t VALUES(1)") }
        program.pause(100)
        for _ in 0..<60 { program.run("INSERT INTO t VALUES(1)") }
        for _ in 0..<200 { program.run("INSERT INTO t VALUES(1)", on: 2, file: nil) }
        program.run("BEGIN", on: 3)
        for _ in 0..<200 { program.run("INSERT INTO t VALUES(1)", on: 3) }
        program.run("COMMIT", on: 3)
        #expect(program.found().isEmpty)
    }

    // MARK: Counters

    @Test mutating func scansSortsAndAutomaticIndexesHaveLimits() {
        program.run("SELECT a FROM t WHERE b = 1", rows: 2) { $0.fullScanSteps = 2_000 }
        program.run("SELECT b FROM t WHERE b = 1", rows: 2) { $0.fullScanSteps = 10 }
        program.run("SELECT c FROM t WHERE b > 1", rows: 1_900) { $0.fullScanSteps = 2_000 }
        program.run("SELECT count(*) FROM t", rows: 1) { $0.fullScanSteps = 2_000 }
        program.run("UPDATE t SET a = 1 WHERE b > 1", steps: 60_000) { $0.fullScanSteps = 2_000 }
        program.run("SELECT a FROM t ORDER BY a", rows: 600) { $0.sorts = 1 }
        program.run("SELECT b FROM t ORDER BY b", rows: 400) { $0.sorts = 1 }
        program.run("CREATE INDEX i ON t(a)") { $0.sorts = 1 }
        program.run("SELECT a FROM t, u") { $0.automaticIndexRows = 300 }
        #expect(
            program.observed().map { $0.rule.rawValue } == ["scan", "sort", "automatic-index"]
        )
    }

    // MARK: Settings

    @Test mutating func foreignKeysAreEnforcedOnlyAfterThePragma() {
        program.run("CREATE TABLE b(a REFERENCES a)", keys: false)
        program.run("INSERT INTO c VALUES(1)", keys: false)
        program.run("PRAGMA foreign_keys = ON", keys: false)
        program.run("INSERT INTO b VALUES(1)")
        // A migration disables what the connection had enabled.
        program.run("PRAGMA foreign_keys = OFF")
        program.run("DELETE FROM a")
        #expect(program.found().isEmpty)
        program = Program()
        program.run("BEGIN", keys: false)
        program.run("PRAGMA foreign_keys = ON")
        program.run("UPDATE main.\"B\" SET a = 1")
        program.run("COMMIT")
        #expect(program.found(keyTables: ["a", "b"]) == ["foreign-keys UPDATE main.\"B\""])
    }

    @Test mutating func twoWritersWithAnOldVersionAreANote() {
        for connection: UInt64 in 1...2 {
            program.run("INSERT INTO t VALUES(1)", on: connection, version: "3.40.1")
        }
        #expect(program.found(isWAL: true) == ["version"])
        program = Program()
        for connection: UInt64 in 1...2 {
            program.run("INSERT INTO t VALUES(1)", on: connection, version: "3.40.1")
            program.close(connection)
        }
        #expect(program.found(isWAL: true).isEmpty)
    }

    @Test mutating func allowedStatementsAndRulesThatAreOffHaveNoFinding() {
        var settings = CheckSettings()
        settings[level: .scan] = .off
        settings.allowances[.failed] = [.init(statement: "INSERT INTO t…", file: "*.db")]
        program = Program(settings)
        program.run("SELECT a FROM t WHERE b = 1") { $0.fullScanSteps = 2_000 }
        program.run("INSERT INTO t VALUES(1)", result: 8)
        program.run("INSERT INTO u VALUES(1)", result: 8)
        #expect(program.found() == ["failed INSERT INTO"])
    }

    /// Damaged or hostile records contain any numbers.
    @Test(.timeLimit(.minutes(1))) func anyExecutionsUseBoundedTime() {
        let checks = StatementChecks(CheckSettings()) { _ in nil }
        var random = SplitMix64(seed: 41)
        let texts = [
            "BEGIN", "COMMIT", "ROLLBACK TO s", "SAVEPOINT s", "RELEASE s",
            "SELECT a FROM t WHERE b = 1",
            "INSERT INTO t VALUES(1)", "PRAGMA foreign_keys = 1", "CREATE TABLE b(a REFERENCES t)",
            "PRAGMA journal_mode = wal", "", "(((", "UPDATE", "DELETE FROM",
        ]
        func any() -> UInt64 { random.next() >> (random.next() % 64) }
        for _ in 0..<8_000 {
            var execution = StatementExecution(
                end: any(),
                process: Int32(truncatingIfNeeded: any()),
                thread: 1,
                connection: any(),
                statement: 1,
                source: .reset
            )
            execution.database = "/\(any() % 200)"
            execution.sql = texts[Int(any() % UInt64(texts.count))] + " \(any() % 100_000)"
            execution.result = Int32(truncatingIfNeeded: any())
            execution.isAutocommit = any() % 2 == 0
            execution.start = any()
            execution.seconds = Double(any())
            execution.secondsWaited = Double(any())
            execution.rows = any()
            execution.steps = UInt32(truncatingIfNeeded: any())
            execution.hasBusyHandler = any() % 2 == 0
            execution.firstForeignKeys = any() % 2 == 0
            var counters = WatchedCounters()
            (counters.sorts, counters.fullScanSteps, counters.preparations) = (any(), any(), any())
            execution.counters = counters
            checks.add(execution, version: "3.40.1")
            if any() % 50 == 0 { checks.noteLoss() }
        }
        let found = checks.finish(keyTables: { _ in [] }, isWAL: { _ in true })
        #expect(found.count <= 1_024)
        for observation in found { _ = CheckFinding(observation, level: .warning) }
    }
}
