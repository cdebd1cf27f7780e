import Testing
import WorkloadEngine

@testable import Capture

struct FidelityAdjustmentTests {
    /// A program that waits twice for 1 to 9 ms in each transaction, and for 50 ms between two of
    /// them.
    private static let load: [CapturedExecution] = {
        var executions: [CapturedExecution] = []
        var now = 0.0
        for number in 0..<60 {
            let pause = 0.001 + 0.002 * Double(number * 7 % 5)
            for sql in ["BEGIN IMMEDIATE", "UPDATE users SET age = ? WHERE id = ?", "COMMIT"] {
                now += sql.hasPrefix("B") ? 0.05 : pause
                now += 0.001
                executions.append(CapturedExecution(end: now, sql: sql, seconds: 0.001))
            }
        }
        return executions
    }()

    private func row(
        _ operation: CapturedScenario.Operation,
        seconds: Double,
        rate: Double
    ) -> FidelityReport.Row {
        FidelityReport.Row(
            name: operation.name,
            rate: (operation.rate, rate),
            seconds: (operation.meanSeconds, seconds),
            rows: (nil, nil),
            busy: (0, 0),
            count: (1_000, 1_000),
            variation: (0, 0)
        )
    }

    @Test func aFastReplayGetsLongerPauses() throws {
        let captured = try CaptureFixture.scenario(Self.load)
        let operation = try #require(captured.operations.first)
        let client = try #require(captured.clients.first)
        let think = try #require(client.thinkSeconds)
        let captures = try #require(operation.meanSeconds)
        #expect(operation.pauseSeconds > 0.009 && operation.pauseSeconds < 0.011)
        // In the run, the statements took 2 ms less than in the program.
        let cycle = 1 / operation.rate
        let fast = row(operation, seconds: captures - 0.002, rate: 1 / (cycle - 0.002))
        let adjustment = try #require(FidelityAdjustment().corrected(by: [fast], of: captured))
        let next = try CaptureFixture.scenario(Self.load, adjustment: adjustment)
        let longer = try #require(next.operations.first)
        #expect(abs(longer.pauseSeconds - operation.pauseSeconds - 0.002) < 0.0002)
        #expect(abs(try #require(next.clients.first?.thinkSeconds) / think - 1) < 0.03)
        #expect(adjustment.descriptions.count == 1)
    }

    @Test func aSlowCycleGetsShorterThinkTimes() throws {
        let captured = try CaptureFixture.scenario(Self.load)
        let operation = try #require(captured.operations.first)
        let think = try #require(captured.clients.first?.thinkSeconds)
        let same = try #require(operation.meanSeconds)
        let slow = row(operation, seconds: same, rate: 1 / (1 / operation.rate + 0.01))
        let adjustment = try #require(FidelityAdjustment().corrected(by: [slow], of: captured))
        let next = try CaptureFixture.scenario(Self.load, adjustment: adjustment)
        #expect(abs(try #require(next.clients.first?.thinkSeconds) - (think - 0.01)) < 0.001)
        #expect(next.yaml.contains("after a check"))
    }

    @Test func equalRunsNeedNoCorrection() throws {
        let captured = try CaptureFixture.scenario(Self.load)
        let operation = try #require(captured.operations.first)
        let equal = row(
            operation,
            seconds: try #require(operation.meanSeconds),
            rate: operation.rate
        )
        #expect(FidelityAdjustment().corrected(by: [equal], of: captured) == nil)
        // A run without transactions says nothing.
        let none = row(operation, seconds: 0, rate: 0)
        #expect(FidelityAdjustment().corrected(by: [none], of: captured) == nil)
    }

    /// A value of LIMIT that the trace does not contain is at most the largest number of rows.
    @Test func aLimitThatReturnsTooManyRowsIsDrawn() throws {
        let load = (0..<100).map { number in
            CapturedExecution(
                end: Double(number) * 0.05,
                sql: "SELECT id FROM users WHERE age > ? LIMIT ?",
                seconds: 0.001,
                rows: 1 + number * 37 % 100
            )
        }
        let captured = try CaptureFixture.scenario(load)
        #expect(captured.yaml.contains("LIMIT 100"))
        let operation = try #require(captured.operations.first)
        var many = row(operation, seconds: 0.001, rate: operation.rate)
        many.rows = (operation.rows, 100)
        let adjustment = try #require(FidelityAdjustment().corrected(by: [many], of: captured))
        let (next, _) = try CaptureFixture.parsed(load, adjustment: adjustment)
        let limit = try #require(next.variables["limit"])
        guard case .choice(let values, _) = limit.distribution else {
            Issue.record("\(limit)")
            return
        }
        let numbers = values.compactMap {
            if case .integer(let number) = $0 { number } else { nil }
        }
        #expect(numbers.count == 20 && abs(numbers.reduce(0, +) / 20 - 50) <= 1)
        // A second check cannot correct more.
        #expect(adjustment.corrected(by: [many], of: captured) == nil)
    }

    @Test func onePauseOfTheMachineIsChance() throws {
        let captured = try CaptureFixture.scenario(Self.load)
        let operation = try #require(captured.operations.first)
        let same = try #require(operation.meanSeconds)
        var slow = row(operation, seconds: 2 * same, rate: operation.rate)
        slow.count = (150, 150)
        #expect(slow.excessTime == 2)
        #expect(slow.certainExcess == -same)
        // One of 150 accesses took as long as the others together.
        var spectrum = LatencySpectrum()
        spectrum.add(1_000_000, count: 149)
        spectrum.add(150_000_000)
        let mean = try #require(spectrum.mean)
        slow.variation.replayed = spectrum.variance.squareRoot() / mean
        #expect(abs(slow.variation.replayed - 6.1) < 0.1)
        #expect(slow.excessTime == nil)
        #expect(slow.certainExcess == 0)
        // A run may lack the rare long accesses of a capture.
        slow.variation = (6.1, 0)
        #expect(slow.excessTime == nil)
        slow.variation = (0, 6.1)
        // A quarter of that is explained, and the rest is corrected.
        slow.variation.replayed /= 4
        let rest = try #require(slow.certainExcess)
        #expect(rest < -0.4 * same && rest > -0.6 * same)
        slow.rate.replayed = operation.rate
        let adjustment = try #require(FidelityAdjustment().corrected(by: [slow], of: captured))
        let next = try CaptureFixture.scenario(Self.load, adjustment: adjustment)
        let shorter = try #require(next.operations.first).pauseSeconds
        #expect(abs(operation.pauseSeconds + rest - shorter) < 0.0002)
    }

    @Test func aSlowProcessorExplainsTimes() throws {
        let speed = ProcessorSpeed(afterPause: 200e-6, warm: 100e-6)
        let slower = ProcessorSpeed(afterPause: 480e-6, warm: 150e-6)
        let change = ProcessorChange(captured: speed, replayed: slower)
        #expect(change.ratios == 1...2.4)
        #expect(abs(change.delay - 330e-6) < 1e-9 && abs(change.slowdown - 3.2) < 1e-9)
        #expect(change.text.contains("1 to 2.4 times as long"))
        #expect(change.text.contains("330us longer after a pause"))
        let same = ProcessorChange(captured: speed, replayed: speed)
        #expect(same.text.contains("query: as long in the check as in the capture, and 100us"))
        let faster = ProcessorChange(captured: slower, replayed: speed)
        #expect(faster.ratios.upperBound == 1)
        #expect(ProcessorChange(captured: speed, replayed: nil) == ProcessorChange())
        let none = ProcessorSpeed(afterPause: 0, warm: 0)
        #expect(ProcessorChange(captured: speed, replayed: none) == ProcessorChange())

        let captured = try CaptureFixture.scenario(Self.load)
        let operation = try #require(captured.operations.first)
        #expect(operation.pauseCount == 2)
        var row = row(operation, seconds: 0, rate: operation.rate)
        func explains(_ seconds: Double, _ replayed: Double) -> Bool {
            row.seconds = (seconds, replayed)
            return row.excessTime == nil && row.certainExcess == 0
        }
        // Only the time that the transaction computes depends on the speed.
        row.pauses = (0.010, 2)
        #expect(!explains(0.014, 0.019))
        row.processors = change
        #expect(explains(0.014, 0.019))
        #expect(!explains(0.014, 0.028))
        row.processors = faster
        #expect(!explains(0.014, 0.019))
        #expect(explains(0.014, 0.012))
        // The disk and locks do not.
        row.isRead = false
        #expect(!explains(0.014, 0.012))
        row.processors = change
        #expect(!explains(0.014, 0.019))
        // The start and each pause may be followed by slow work, and the program's may be faster.
        #expect(explains(0.014, 0.0149))
        #expect(row.expectedSeconds == 0.0149)
        row.seconds.replayed = 0.019
        #expect(abs(try #require(row.expectedSeconds) - 0.01499) < 1e-9)
        row.seconds.replayed = 0.0135
        #expect(row.expectedSeconds == 0.014)
        // Work takes at most 3.2 times as long.
        row.pauses = (0.0099, 2)
        row.seconds = (0.010, 0.011)
        #expect(abs(try #require(row.expectedSeconds) - 0.01022) < 1e-9)
    }

    /// The processor during the check was half as fast, so the closed loop's cycle was longer.
    @Test func aSlowProcessorCorrectsNoThinkTime() throws {
        let captured = try CaptureFixture.scenario(Self.load)
        let operation = try #require(captured.operations.first)
        let time = try #require(operation.meanSeconds)
        var slow = row(operation, seconds: time + 0.005, rate: 1 / (1 / operation.rate + 0.005))
        #expect(FidelityAdjustment().corrected(by: [slow], of: captured) != nil)
        slow.processors = ProcessorChange(
            captured: ProcessorSpeed(afterPause: 0.001, warm: 0.001),
            replayed: ProcessorSpeed(afterPause: 0.002, warm: 0.002)
        )
        #expect(FidelityAdjustment().corrected(by: [slow], of: captured) == nil)
    }

    @Test func theSpeedOfProcessorsIsAMeanWithoutTheLongestTimes() throws {
        var times = [(afterPause: UInt64, warm: UInt64)](repeating: (200, 100), count: 9)
        #expect(ProcessorGauge.speed(of: times) == nil)
        times.append((1_000_000, 1_000_000))
        let speed = try #require(ProcessorGauge.speed(of: times))
        #expect(abs(speed.afterPause - 200e-9) < 1e-12 && abs(speed.warm - 100e-9) < 1e-12)
        let gauge = ProcessorGauge()
        #expect(gauge.finish() == nil)
        #expect(gauge.finish() == nil)
    }

    private func row(
        _ operation: CapturedScenario.Operation,
        rows: Double
    ) -> FidelityReport.Row {
        var row = row(operation, seconds: operation.meanSeconds ?? 0, rate: operation.rate)
        row.rows = (operation.rows, rows)
        return row
    }

    /// A program that asks for each state equally often finds fewer rows than the states of random
    /// rows do.
    @Test func valuesThatFindTooManyRowsAreDrawnInOtherWays() throws {
        let load = (0..<100).map { number in
            CapturedExecution(
                end: Double(number) * 0.05,
                sql: "SELECT id FROM orders WHERE state = ? AND user = 7",
                seconds: 0.001,
                rows: 4
            )
        }
        let (scenario, captured) = try CaptureFixture.parsed(load)
        let operation = try #require(captured.operations.first)
        let user = try #require(scenario.variables["orders_user"]?.column)
        #expect(user.sameRow == "orders_state")
        let many = row(operation, rows: 50)
        // The literal limits the rows, so it is drawn independently first.
        var adjustment = try #require(FidelityAdjustment().corrected(by: [many], of: captured))
        let (apart, second) = try CaptureFixture.parsed(load, adjustment: adjustment)
        #expect(apart.variables["orders_user"]?.column?.sameRow == nil)
        #expect(apart.variables["orders_state"]?.column?.theta == nil)
        #expect(adjustment.descriptions.count == 1)
        let further = try #require(adjustment.corrected(by: [many], of: second))
        let (distinct, next) = try CaptureFixture.parsed(load, adjustment: further)
        #expect(distinct.variables["orders_state"]?.column?.theta == 0)
        #expect(next.yaml.contains("distinct: true"))
        // Nothing draws fewer rows, and a rejected way is not tried again.
        #expect(further.corrected(by: [many], of: next) == nil)
        #expect(further.corrected(by: [row(operation, rows: 1)], of: next) == nil)
        var other = adjustment
        // A way that improves its own operation may be tried again.
        var hasOtherWays = other.reject(
            further,
            of: second,
            rows: [many],
            next: [row(operation, rows: 20)]
        )
        #expect(hasOtherWays && other.corrected(by: [many], of: second) == further)
        hasOtherWays = adjustment.reject(further, of: second, rows: [many], next: [many])
        #expect(hasOtherWays && adjustment.corrected(by: [many], of: second) == nil)
        #expect(adjustment.corrected(by: [many], of: captured, changesValues: false) == nil)
    }

    /// Values that agree in two tables share a variable, which draws a row of only one of them.
    @Test func valuesOfAnotherTableComeFromTheirOwnRow() throws {
        var load: [CapturedExecution] = []
        for number in 0..<9 {
            load += CaptureFixture.executions(
                [
                    "BEGIN", "SELECT age FROM users WHERE id = \(number)",
                    "SELECT id FROM orders WHERE user = \(number) AND state = 'new'", "COMMIT",
                ],
                from: Double(number) * 0.1
            )
        }
        let (scenario, _) = try CaptureFixture.parsed(load)
        #expect(scenario.variables["users_id"]?.column?.table == "users")
        #expect(scenario.variables["orders_state"]?.column?.sameRow == nil)
    }

    /// Each repetition of a loop draws a new row, so a value that stays the same is not in it.
    @Test func aRowWithAConstantOfALoopIsReported() throws {
        var load: [CapturedExecution] = []
        for number in 0..<9 {
            load += CaptureFixture.executions(
                ["BEGIN"]
                    + (0..<5).map {
                        "SELECT id FROM orders WHERE user = \(number) AND state = 's\($0 + number)'"
                    } + ["COMMIT"],
                from: Double(number) * 0.1
            )
        }
        let (scenario, captured) = try CaptureFixture.parsed(load)
        #expect(captured.yaml.contains("user = :kept_orders_user AND state = :orders_state"))
        #expect(scenario.variables["orders_state"]?.column?.sameRow == nil)
        #expect(
            captured.yaml.contains("the row with the values of orders.state")
        )
    }

    /// A query that a program runs once takes another time in a run, which does not matter.
    @Test func aRareOperationIsPartOfTheScenarioButItsTimeIsNotJudged() throws {
        var load = (0..<400).map { number in
            CapturedExecution(
                end: Double(number) * 0.05,
                sql: "SELECT age FROM users WHERE id = ?",
                seconds: 0.01,
                rows: 1
            )
        }
        load.append(
            CapturedExecution(end: 3.02, sql: "SELECT mail FROM users", seconds: 0.007, rows: 900)
        )
        let operations = try CaptureFixture.scenario(load).operations
        #expect(operations.map(\.isRare) == [false, true])
        load[400].seconds = 0.5
        #expect(try CaptureFixture.scenario(load).operations.map(\.isRare) == [false, false])
    }

    /// A program with think times hides most of a change from its throughput.
    @Test func theTimesOfAClientWithPausesAreItsPrimaryMetric() throws {
        let (scenario, captured) = try CaptureFixture.parsed(Self.load)
        let client = try #require(captured.clients.first)
        #expect(scenario.primary == ["\(client.name).response.p99"])
    }

    /// The words that a program searches for are unknown, but not how many rows they find.
    @Test func wordsThatFindOtherRowsAreReplaced() throws {
        let words = (0..<400).map { FullTextWords.Word("w\($0)", rows: 40_000 / ($0 + 1)) }
        let load = (0..<100).map { number in
            CapturedExecution(
                end: Double(number) * 0.05,
                sql: "SELECT id FROM users WHERE users MATCH ?",
                seconds: 0.001,
                rows: 400
            )
        }
        func parsed(
            _ adjustment: FidelityAdjustment
        ) throws -> (words: [Int], CapturedScenario) {
            let (scenario, captured) = try CaptureFixture.parsed(load, adjustment: adjustment) {
                $0.words = FullTextWords(["users": words])
            }
            guard case .choice(let values, _)? = scenario.variables["word"]?.distribution else {
                return ([], captured)
            }
            let rows = values.compactMap { value in
                words.first { .text($0.text) == value }?.rows
            }
            return (rows, captured)
        }
        let (first, captured) = try parsed(FidelityAdjustment())
        let mean = first.reduce(0, +) / first.count
        #expect(first.count == 20 && first.max() == 40_000 && mean > 4_000)
        let many = row(try #require(captured.operations.first), rows: Double(mean))
        let adjustment = try #require(FidelityAdjustment().corrected(by: [many], of: captured))
        let (next, _) = try parsed(adjustment)
        #expect(next.count == 20 && next.allSatisfy { (300...500).contains($0) }, "\(next)")
        #expect(
            adjustment.descriptions == ["words in about 400 rows of \(captured.operations[0].name)"]
        )
    }

    /// A search that reads many rows and returns few, despite LIMIT, is for several words.
    @Test func aSearchThatReturnsFewOfItsRowsIsForTwoWords() throws {
        let words = (0..<400).map { FullTextWords.Word("w\($0)", rows: 40_000 / ($0 + 1)) }
        let pairs = (0..<100).map { FullTextWords.Word("w\($0) w1", rows: $0) }
        let load = (0..<100).map { number in
            CapturedExecution(
                end: Double(number) * 0.05,
                sql: "SELECT id FROM users WHERE users MATCH ? ORDER BY rank LIMIT 10",
                seconds: 0.01,
                rows: number % 2 == 0 ? 10 : 4
            )
        }
        func parsed(
            _ adjustment: FidelityAdjustment
        ) throws -> (words: [String], CapturedScenario) {
            let (scenario, captured) = try CaptureFixture.parsed(load, adjustment: adjustment) {
                $0.words = FullTextWords(["users": words], pairs: ["users": pairs])
            }
            guard case .choice(let values, _)? = scenario.variables["word"]?.distribution else {
                return ([], captured)
            }
            return (pairs.map(\.text).filter { values.contains(.text($0)) }, captured)
        }
        let captured = try parsed(FidelityAdjustment()).1
        let operation = try #require(captured.operations.first)
        var all = row(operation, rows: 10)
        all.seconds.replayed = (operation.meanSeconds ?? 0) * 2
        let adjustment = try #require(FidelityAdjustment().corrected(by: [all], of: captured))
        #expect(
            adjustment.descriptions == ["pairs of words in about 7 rows of \(operation.name)"]
        )
        let (found, next) = try parsed(adjustment)
        #expect(found.count == 20 && found.contains("w7 w1"))
        // Pairs are corrected by the rows, not by the time.
        let few = row(try #require(next.operations.first), rows: 3.5)
        let last = try #require(adjustment.corrected(by: [few], of: next))
        #expect(last.descriptions.first?.hasPrefix("pairs of words in about ") == true)
        #expect(last != adjustment)
    }

    /// A check is shorter than a capture, and can lack a rare transaction.
    @Test(arguments: [
        (9.0, 0.0, 2.25, true), (9, 0, 9, false), (100, 125, 100, true), (100, 135, 100, false),
    ])
    func chanceExplainsSmallCounts(
        captured: Double,
        replayed: Double,
        expected: Double,
        isChance: Bool
    ) throws {
        let operation = try #require(try CaptureFixture.scenario(Self.load).operations.first)
        var rare = row(operation, seconds: 0.01, rate: 1)
        rare.count = (captured, replayed)
        rare.expectedCount = expected
        #expect(rare.isCountExplained == isChance)
    }

    /// The cost of a trace is not the program's time, except in statements that are timed.
    @Test func theTraceIsNotPartOfATransaction() throws {
        var executions: [CapturedExecution] = []
        for start in 0..<40 {
            var now = Double(start)
            for index in 0..<102 {
                let sql =
                    [0: "BEGIN IMMEDIATE", 101: "COMMIT"][index]
                    ?? "UPDATE users SET age = ? WHERE id = ?"
                // Of each statement, the trace delays only the end, except that of BEGIN.
                now += 20e-6 + (index == 0 ? 0 : 5e-6)
                var execution = CapturedExecution(end: now, sql: sql, seconds: 20e-6)
                execution.traceSeconds = 5e-6
                executions.append(execution)
            }
        }
        let captured = try CaptureFixture.scenario(executions)
        let operation = try #require(captured.operations.first)
        #expect(abs(try #require(operation.meanSeconds) - 102 * 20e-6) < 1e-6)
        #expect(abs(captured.writeShare - 40 * 102 * 20e-6 / 39.0025) < 1e-5)
        #expect(captured.yaml.contains("the trace needed about 20% of the time"))
    }
}
