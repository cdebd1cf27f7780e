import SQLText
import SQLiteWatch
import Testing

@testable import SQLTrace

private let second: UInt64 = 1_000_000_000

private func execution(
    _ sql: String,
    at time: UInt64,
    of process: Int32 = 1,
    result: Int32 = 0,
    isAutocommit: Bool = false,
    waited: Double? = 0,
    seconds: Double? = nil
) -> StatementExecution {
    StatementExecution(
        end: time,
        process: process,
        thread: process,
        connection: 0x1000,
        statement: 0x2000,
        source: .reset,
        sql: sql,
        result: result,
        isAutocommit: isAutocommit,
        seconds: seconds,
        secondsWaited: waited
    )
}

struct TransactionTrackerTests {
    private var tracker = TransactionTracker()

    private mutating func add(_ execution: StatementExecution) {
        let sql = execution.sql ?? ""
        tracker.add(execution, sql: sql, kind: SQLStatementKind(sql))
    }

    @Test(arguments: [-1, 1e11, 1e300, Double.infinity, .nan])
    mutating func anInvalidTimeIsLimited(seconds: Double) {
        add(execution("BEGIN", at: second))
        add(execution("SELECT 1", at: 2 * second, seconds: seconds))
        add(execution("COMMIT", at: 3 * second, isAutocommit: true, seconds: seconds))
        #expect(tracker.longestTransactions.allSatisfy { $0.idle <= 2 * second })
        #expect(StatementExecution.nanoseconds(0.5) == second / 2)
    }

    @Test mutating func aTransactionLastsFromBeginToCommit() {
        add(execution("BEGIN", at: 1 * second))
        add(execution("INSERT INTO t VALUES(?)", at: 2 * second))
        add(execution("SELECT 1", at: 5 * second))
        #expect(tracker.openTransactions.count == 1)
        add(execution("COMMIT", at: 6 * second, isAutocommit: true))
        #expect(tracker.openTransactions.isEmpty)
        let ended = tracker.longestTransactions.first
        #expect(ended?.seconds(at: 9 * second) == 5)
        #expect(ended?.statements == 3)
        #expect(ended?.longestGap.length == 3 * second)
        #expect(ended?.writesSince == 2 * second)
        #expect(ended?.lastSQL == "SELECT 1")
    }

    @Test mutating func autocommitStatementsDoNotOpenATransaction() {
        add(execution("INSERT INTO t VALUES(?)", at: second, isAutocommit: true))
        #expect(tracker.openTransactions.isEmpty)
        #expect(tracker.longestTransactions.isEmpty)
    }

    @Test mutating func theEndOfAProcessEndsItsTransactions() {
        add(execution("BEGIN IMMEDIATE", at: second))
        tracker.end(process: 1, at: 4 * second)
        #expect(tracker.openTransactions.isEmpty)
        #expect(tracker.longestTransactions.first?.seconds(at: 9 * second) == 3)
    }

    @Test mutating func timesThatGoBackwardDoNotOverflow() {
        add(execution("BEGIN", at: second))
        for time in [.max, 2 * second, .max, 3 * second] {
            add(execution("SELECT 1", at: time, seconds: 0))
        }
        #expect(tracker.openTransactions.values.map(\.idle) == [.max - second])
    }

    @Test mutating func onlyTheLongestTransactionsAreKept() {
        for index in 1...100 as ClosedRange<UInt64> {
            let start = index * 1_000 * second
            add(execution("BEGIN", at: start))
            add(execution("COMMIT", at: start + (index * 37 % 101) * second, isAutocommit: true))
        }
        let lengths = tracker.longestTransactions.map { $0.seconds(at: 0) }
        #expect(lengths == (81...100).reversed().map(Double.init))
    }

    @Test mutating func theWriterThatOverlapsMostIsTheBlocker() {
        var blocks = BlockTracker()
        add(execution("BEGIN", at: 1 * second, of: 3))
        add(execution("SELECT 1", at: 2 * second, of: 3))
        add(execution("BEGIN IMMEDIATE", at: 2 * second, of: 2))
        add(execution("UPDATE stock SET n = ?", at: 3 * second, of: 2))
        blocks.add(
            execution("begin immediate", at: 8 * second, result: 5, isAutocommit: true, waited: 4),
            sql: "begin immediate",
            tracker
        )
        let block = blocks.latest.first
        #expect(block?.blocker?.key.process == 2)
        #expect(block?.blocker?.lastSQL == "UPDATE stock SET n = ?")
        #expect(block?.failed == true)
        #expect(block?.length == 4 * second)
        #expect(block?.blocker?.idle(from: 4 * second, to: 8 * second) == 4 * second)
    }

    @Test mutating func aWaiterThatSucceededWaitedForAnEndedTransaction() {
        var blocks = BlockTracker()
        add(execution("BEGIN IMMEDIATE", at: 1 * second, of: 2))
        add(execution("COMMIT", at: 5 * second, of: 2, isAutocommit: true))
        let waiter = execution(
            "INSERT INTO t VALUES(?)",
            at: 5 * second + 20,
            isAutocommit: true,
            waited: 3
        )
        blocks.add(waiter, sql: waiter.sql, tracker)
        #expect(blocks.latest.first?.blocker?.key.process == 2)
        #expect(blocks.latest.first?.failed == false)
    }

    @Test mutating func aClosedConnectionDoesNotBlockOthers() {
        add(execution("BEGIN IMMEDIATE", at: 1 * second, of: 2))
        tracker.end(ConnectionKey(process: 2, connection: 0x1000), at: 2 * second)
        #expect(tracker.openTransactions.isEmpty)
        #expect(tracker.longestTransactions.first?.end == 2 * second)
        #expect(tracker.writer(from: 3 * second, to: 4 * second, except: waiter) == nil)
    }

    private let waiter = ConnectionKey(process: 1, connection: 0x1000)

    @Test mutating func aShortTransactionWithinAWaitIsNotACertainBlocker() {
        // Before this transaction, an autocommit write may have held the lock. Such a write is not
        // tracked as a transaction.
        add(execution("BEGIN IMMEDIATE", at: 9 * second, of: 2))
        #expect(tracker.writer(from: 5 * second, to: 10 * second, except: waiter) == nil)
        #expect(
            tracker.writer(from: 8 * second, to: 10 * second, except: waiter)?.start == 9 * second
        )
    }

    @Test mutating func aTransactionThatEndedBeforeAWaitIsNotACertainBlocker() {
        add(execution("BEGIN IMMEDIATE", at: 1 * second, of: 2))
        add(execution("COMMIT", at: 5 * second, of: 2, isAutocommit: true))
        #expect(tracker.writer(from: 1 * second, to: 7 * second, except: waiter) == nil)
        // The busy handler detected the end of the transaction up to 100 ms later.
        let detected = 5 * second + 100_000_000
        #expect(tracker.writer(from: 2 * second, to: detected, except: waiter) != nil)
    }

    @Test mutating func aConnectionDoesNotBlockItself() {
        var blocks = BlockTracker()
        add(execution("BEGIN IMMEDIATE", at: 1 * second))
        blocks.add(
            execution("COMMIT", at: 5 * second, result: 5, waited: 3),
            sql: "COMMIT",
            tracker
        )
        #expect(blocks.latest.first?.blocker == nil)
    }

    @Test mutating func aWaitOfUnknownLengthIsBoundedByTheLastStatement() {
        var blocks = BlockTracker()
        blocks.add(execution("SELECT 1", at: 1 * second, isAutocommit: true), sql: nil, tracker)
        blocks.add(
            execution("BEGIN", at: 3 * second, result: 5, isAutocommit: true, waited: nil),
            sql: nil,
            tracker
        )
        #expect(blocks.latest.first?.length == 2 * second)
        #expect(blocks.latest.first?.isUpperBound == true)
    }
}

struct BusyWaitsTests {
    @Test func waitsAreTheTimeInTheBusyHandler() {
        #expect(BusyWaits.seconds(calls: 0, timeout: nil) == 0)
        #expect(BusyWaits.seconds(calls: 4, timeout: nil) == 0.018)
        #expect(BusyWaits.seconds(calls: 12, timeout: nil) == 0.328)
        #expect(BusyWaits.seconds(calls: 14, timeout: nil) == 0.528)
        #expect(BusyWaits.seconds(calls: 14, timeout: 300) == 0.3)
        #expect(BusyWaits.seconds(calls: .max, timeout: 300) == 0.3)
    }
}

struct StatementTableTests {
    @Test func countsAreExactAndTimesAreEstimates() {
        var table = StatementTable()
        for index in 0..<100 {
            let seconds = index < 50 ? 0.01 : nil
            table.add(execution("a", at: 1, result: index == 7 ? 5 : 0, seconds: seconds), sql: "a")
        }
        table.add(execution("b", at: 1, result: 19), sql: nil)
        let report = table.report { _ in 2 }
        #expect(report.map(\.calls) == [100, 1])
        #expect(report[0].busy == 1)
        #expect(report[0].timed == 50)
        #expect(abs((report[0].seconds ?? 0) - 1) < 1e-9)
        #expect(report[0].callsPerSecond == 50)
        #expect(abs(report[0].meanError ?? 1) < 1e-6)
        #expect(report[1].failed == 1)
        #expect((table.report { _ in 2 })[0].callsPerSecond == 0)
    }

    @Test func duringAPauseTheLastRatesRemain() {
        var table = StatementTable()
        for _ in 0..<10 { table.add(execution("a", at: 1), sql: "a") }
        #expect((table.report { _ in 2 })[0].callsPerSecond == 5)
        for _ in 0..<6 { table.add(execution("a", at: 1), sql: "a") }
        #expect((table.report { _ in nil })[0].callsPerSecond == 5)
        #expect((table.report { _ in 2 })[0].callsPerSecond == 3)
    }
}

extension StatementTableTests {
    @Test func waitsOfUntimedExecutionsAreCounted() {
        var table = StatementTable()
        for index in 0..<100 {
            let isTimed = index % 10 == 1
            let wait = index % 10 == 0 ? 0.5 : 0
            table.add(
                execution("a", at: 1, waited: wait, seconds: isTimed ? 0.002 : nil),
                sql: "a"
            )
        }
        // Ten of a hundred executions waited, and none of them was timed.
        let report = (table.report { _ in 1 })[0]
        #expect(abs((report.mean ?? 0) - 0.052) < 1e-9)
        #expect(abs((report.seconds ?? 0) - 5.2) < 1e-9)
    }
}

struct CurrentStatementTests {
    @Test func eachProcessHasItsRunningOrLastStatement() {
        var model = TraceModel()
        model.add(execution("SELECT 1 FROM t", at: 2 * second, of: 7, isAutocommit: true))
        model.add(execution("SELECT 2 FROM t", at: 3 * second, of: 8, isAutocommit: true))
        model.add(execution("SELECT 3 FROM t", at: 3 * second, of: 9, isAutocommit: true))
        model.end(process: 9, at: 4 * second)
        let current = model.currentReport(
            running: [
                8: .init(text: "UPDATE t SET a = 5", start: 4 * second, isEarly: false),
                10: .init(text: "VACUUM", start: 5 * second, isEarly: true),
            ],
            now: 6 * second
        )
        #expect(
            current == [
                .init(pid: 7, sql: "SELECT ? FROM t", isRunning: false, seconds: 4),
                .init(pid: 8, sql: "UPDATE t SET a = ?", isRunning: true, seconds: 2),
                .init(pid: 10, sql: "VACUUM", isRunning: true, seconds: 1, isLowerBound: true),
            ]
        )
    }
}

struct CostLimiterTests {
    /// A thread that works and then rests.
    private struct Program {
        /// The duration of the work without probes, and of the rest, in nanoseconds.
        let work, rest: Double
        /// The share of the running time that is lost while there are probes.
        let share: Double

        /// The mean duration of the work in a trace of so many nanoseconds, in relation to that
        /// without probes.
        func slowdown(in duration: Double) -> Double {
            var limiter = CostLimiter(limit: 0.05, at: 0)
            var now = 0.0
            var durations: [Double] = []
            while now < duration {
                let slow = limiter.isPaused ? work : work / (1 - share)
                durations.append(slow)
                now += slow + rest
                let running = slow / (slow + rest)
                _ = limiter.decision(at: UInt64(now)) { _ in
                    LostShares.Loss(share: share, running: running)
                }
            }
            return durations.reduce(0, +) / Double(durations.count) / work
        }
    }

    @Test(arguments: [(1e6, 0.0, 0.25), (1e6, 9e6, 0.25), (2e6, 1e8, 0.5), (1e6, 9e7, 0.75)])
    func workIsSlowedByAtMostTheLimit(work: Double, rest: Double, share: Double) {
        let program = Program(work: work, rest: rest, share: share)
        let slowdown = program.slowdown(in: 600e9)
        // A thread that always runs loses 5% of its time.
        #expect((1.02...1.053).contains(slowdown), "\(slowdown)")
    }

    @Test func aTraceWithLowOverheadDoesNotPause() {
        var limiter = CostLimiter(limit: 0.05, at: 0)
        for step in 1...100 as ClosedRange<UInt64> {
            let decision = limiter.decision(at: step * CostLimiter.interval) {
                LostShares.Loss(share: 1_000 / Double(max(1, $0)), running: 1)
            }
            #expect(decision == nil)
        }
        #expect(!limiter.isPaused)
    }
}
