import Foundation
import Scenarios
import Telemetry
import Testing

@testable import Comparison
@testable import LoadTestSupport
@testable import Reports
@testable import WorkloadEngine

/// Tests verdicts on known numbers.
///
/// The runs are fictional, and each has a throughput and a p99.
struct ComparisonAnalysisTests {
    /// Returns a run of `ui`, an open loop, with a throughput in accesses/s and a p99 in
    /// nanoseconds.
    private func run(_ arm: String, throughput: Double, p99: Double?) -> ArmResult {
        var result = ResultFixture.run
        result.arm = arm
        var client = ResultFixture.reader
        client.throughput = throughput
        client.response?.p99 = p99.map { UInt64($0) }
        result.clients = ["ui": client]
        return result
    }

    private func plan(
        _ arms: [Arm] = [.init(name: "a", kind: .queue), .init(name: "b", kind: .pool)],
        primary: [String] = ["ui.throughput", "ui.response.p99"]
    ) throws -> ComparisonPlan {
        var options = ComparisonOptions()
        options.primary = primary
        return try ComparisonPlan(.test([.reader("ui")]), arms: arms, options: options)
    }

    /// Returns the analysis of ten blocks.
    ///
    /// The values of `b` are the values of `a` multiplied by `throughput` and `p99`, with noise.
    private func analysis(
        throughput: Double = 1,
        p99: Double = 1,
        noise: Double = 0.02,
        blockWithoutP99: Int? = nil
    ) throws -> ComparisonAnalysis {
        var random = RandomStream(seed: 4, stream: "blocks")
        func noisy(_ value: Double) -> Double { value * exp(noise * random.nextNormal()) }
        let blocks = (0..<10).map { block in
            [
                run("a", throughput: noisy(1000), p99: noisy(1e6)),
                run(
                    "b",
                    throughput: noisy(1000 * throughput),
                    p99: block == blockWithoutP99 ? nil : noisy(1e6 * p99)
                ),
                run("a", throughput: noisy(1000), p99: noisy(1e6)),
            ].map { ComparisonMeasurement($0) }
        }
        return ComparisonAnalysis(plan: try plan(), blocks: blocks, seconds: 3)
    }

    private func verdicts(_ analysis: ComparisonAnalysis) -> [String: ComparisonVerdict] {
        let pairs = analysis.pairs(noise: analysis.noise()).filter(\.primary)
        return Dictionary(uniqueKeysWithValues: pairs.map { ($0.metric, $0.verdict) })
    }

    @Test func lowerLatencyAndHigherThroughputAreBetter() throws {
        let verdicts = try verdicts(analysis(throughput: 1.4, p99: 0.4))
        #expect(verdicts == ["ui.throughput": .better, "ui.response.p99": .better])
        let worse = try self.verdicts(analysis(throughput: 0.7, p99: 2))
        #expect(worse == ["ui.throughput": .worse, "ui.response.p99": .worse])
    }

    @Test func estimatesAndIntervalsContainTheEffect() throws {
        let analysis = try analysis(throughput: 1.4, p99: 0.4)
        let pairs = analysis.pairs(noise: analysis.noise())
        let throughput = try #require(pairs.first { $0.metric == "ui.throughput" })
        #expect(abs(try #require(throughput.ratio) - 1.4) < 0.03)
        #expect(try #require(throughput.low) < 1.4)
        #expect(try #require(throughput.high) > 1.4)
        // There are two tests. In each of them, ten differences have the same sign.
        #expect(throughput.p == 2 * 2.0 / 1024)
        #expect(throughput.uncorrected == 2.0 / 1024)
        #expect(throughput.level == 1 - 50.0 / 1024)
        #expect(throughput.blocks == 10)
    }

    @Test func aRatioToAnArmThatStandsStillIsABound() throws {
        let analysis = try analysis(throughput: 0, p99: 0.4)
        let pairs = analysis.pairs(noise: analysis.noise())
        let throughput = try #require(pairs.first { $0.metric == "ui.throughput" })
        #expect(throughput.isBound == true)
        #expect(try #require(throughput.change).hasPrefix("at least "))
        let p99 = try #require(pairs.first { $0.metric == "ui.response.p99" })
        #expect(p99.isBound == nil)
        #expect(try #require(p99.change).hasPrefix("2.5× lower"))
    }

    /// Three of ten blocks without accesses determine the estimate, but two do not.
    @Test(arguments: [(2, false), (3, true)])
    func aRatioIsABoundIfItDependsOnBlocksWithoutAccesses(blocks: Int, isBound: Bool) throws {
        let runs = (0..<10).map { block in
            [
                run("a", throughput: 1000 + Double(block), p99: 1e6),
                run("b", throughput: block < blocks ? 0 : 500, p99: 1e6),
                run("a", throughput: 1000, p99: 1e6),
            ].map { ComparisonMeasurement($0) }
        }
        let analysis = ComparisonAnalysis(plan: try plan(), blocks: runs, seconds: 3)
        let pairs = analysis.pairs(noise: analysis.noise())
        let throughput = try #require(pairs.first { $0.metric == "ui.throughput" })
        #expect((throughput.isBound == true) == isBound)
    }

    @Test func equalArmsAreTheSameOrInconclusive() throws {
        for verdict in try verdicts(analysis()).values { #expect(!verdict.isDifference) }
    }

    /// Tests a difference of 10% with almost no noise, and a difference between 1% and 10%.
    @Test func aDifferenceBelowTheFloorIsInconclusiveDespiteASmallP() throws {
        let ratio = try #require(
            PairedRatio(
                Array(repeating: 100, count: 10),
                (0..<10).map { 110 + Double($0) / 100 },
                smallest: 1
            )
        )
        #expect(ratio.pValue == 2.0 / 1024)
        let catalog = MetricCatalog(clients: ["ui"])
        let metric = try ComparisonMetric("ui.throughput", in: catalog)
        func verdict(floor: Double?) -> ComparisonVerdict {
            ComparisonAnalysis.verdict(of: ratio, p: ratio.pValue, floor, metric: metric).0
        }
        #expect(verdict(floor: log(1.05)) == .better)
        #expect(verdict(floor: nil) == .inconclusive)
        // The interval is within the floor, so the arms are the same.
        #expect(verdict(floor: log(1.2)) == .same)
        #expect(
            ComparisonAnalysis.verdict(of: ratio, p: 0.06, log(1.05), metric: metric).0
                == .inconclusive
        )
        let wide = try #require(
            PairedRatio(
                Array(repeating: 100, count: 10),
                (0..<10).map { 101 + Double($0) },
                smallest: 1
            )
        )
        #expect(wide.pValue == 2.0 / 1024)
        let found = ComparisonAnalysis.verdict(of: wide, p: wide.pValue, log(1.06), metric: metric)
        #expect(found.0 == .inconclusive)
        #expect(found.note == "no measurable change (less than 1.06×)")
    }

    @Test func theFloorIsTheIntervalBoundFartherFromOne() {
        let noise = NoiseMeasurement(
            metric: "m",
            ratio: 0.95,
            low: 0.8,
            high: 1.1,
            p: 1,
            blocks: 10
        )
        #expect(noise.floor == 1.25)
    }

    /// Compares an arm with itself 2,000 times.
    ///
    /// The statistical test raises false alarms at its significance level. The verdict raises
    /// fewer, because it also requires a difference above the noise floor.
    @Test func comparingAnArmWithItselfRarelyRaisesFalseAlarms() {
        var random = RandomStream(seed: 99, stream: "A/A")
        var significantTests = 0
        var differences = 0
        let metric = try? ComparisonMetric("ui.throughput", in: MetricCatalog(clients: ["ui"]))
        for _ in 0..<2000 {
            // Combines noise that is common to the runs of a block, such as the machine's state in
            // that minute, with independent noise in each run.
            let shared = (0..<10).map { _ in 0.3 * random.nextNormal() }
            func runs() -> [Double?] { shared.map { 1000 * exp($0 + 0.05 * random.nextNormal()) } }
            let (first, second, repeated) = (runs(), runs(), runs())
            guard let metric, let ratio = PairedRatio(first, second, smallest: 1),
                let noise = PairedRatio(first, repeated, smallest: 1)
            else { continue }
            if ratio.pValue <= BlockCount.significance { significantTests += 1 }
            let floor = max(abs(noise.location.low), abs(noise.location.high))
            let verdict = ComparisonAnalysis.verdict(
                of: ratio,
                p: ratio.pValue,
                floor,
                metric: metric
            ).0
            if verdict.isDifference { differences += 1 }
        }
        // This is the 99% interval of a binomial distribution with 2,000 draws at 5%.
        #expect((75...125).contains(significantTests), "\(significantTests)")
        #expect(differences <= significantTests)
    }

    /// A throughput loss of 10% is detected in almost all comparisons despite noise of 3% per run.
    @Test func aTenPercentLossIsFoundDespiteNoise() throws {
        var random = RandomStream(seed: 12, stream: "power")
        let metric = try ComparisonMetric("ui.throughput", in: MetricCatalog(clients: ["ui"]))
        let found = try (0..<20).count { _ in
            func runs(_ value: Double) -> [Double?] {
                (0..<10).map { _ in value * exp(0.03 * random.nextNormal()) }
            }
            let plain = runs(1000)
            let ratio = try #require(PairedRatio(plain, runs(900), smallest: 1))
            let noise = try #require(PairedRatio(plain, runs(1000), smallest: 1))
            let floor = max(abs(noise.location.low), abs(noise.location.high))
            return ComparisonAnalysis.verdict(of: ratio, p: ratio.pValue, floor, metric: metric).0
                == .worse
        }
        #expect(found >= 18, "\(found)")
    }

    @Test func aPercentileWithTooFewSamplesIsReplacedByALowerOne() throws {
        let analysis = try analysis(throughput: 1.4, p99: 0.4, blockWithoutP99: 3)
        // The fixture has a p95, but the p99 is missing in one block of one arm.
        #expect(analysis.primary.map(\.name) == ["ui.throughput", "ui.response.p95"])
        #expect(analysis.replaced == ["ui.response.p99": "ui.response.p95"])
    }

    /// If too few blocks have enough accesses for a median, the means of all blocks decide.
    @Test func aRareLatencyIsComparedByItsMean() throws {
        let blocks = rareBlocks { block, median in
            LatencySummary(count: 19, mean: median, p50: block < 4 ? nil : median, max: median)
        }
        let analysis = ComparisonAnalysis(
            plan: try plan(primary: ["ui.response.p99"]),
            blocks: blocks,
            seconds: 1
        )
        #expect(analysis.replaced == ["ui.response.p99": "ui.response.mean"])
        let pair = try #require(analysis.pairs(noise: analysis.noise()).first)
        #expect(pair.blocks == 8)
        #expect(pair.verdict == .better)
    }

    /// If a block has no access at all, the lowest percentile decides with the other blocks.
    @Test func aRareLatencyIsComparedInTheBlocksThatHaveAccesses() throws {
        let blocks = rareBlocks { block, median in
            block == 3 ? nil : LatencySummary(count: 20, mean: median, p50: median, max: median)
        }
        let analysis = ComparisonAnalysis(
            plan: try plan(primary: ["ui.response.p99"]),
            blocks: blocks,
            seconds: 1
        )
        #expect(analysis.replaced == ["ui.response.p99": "ui.response.p50"])
        let pair = try #require(analysis.pairs(noise: analysis.noise()).first)
        #expect(pair.blocks == 7)
        #expect(pair.verdict == .better)
    }

    /// Returns eight blocks in which the second arm is nine times as fast.
    ///
    /// `summary` returns the latencies of a run from its block's number and the arm's median.
    private func rareBlocks(
        _ summary: (Int, UInt64) -> LatencySummary?
    ) -> [[ComparisonMeasurement]] {
        (0..<8).map { block in
            (0..<3).map { slot in
                var changed = run(slot == 1 ? "b" : "a", throughput: 50, p99: nil)
                let median: UInt64 = slot == 1 ? 1_000_000 : 9_000_000
                changed.clients["ui"]?.response = summary(block, median)
                return ComparisonMeasurement(changed)
            }
        }
    }

    /// The fixture has a p99.9 but no p99.99.
    @Test func aTailPercentileIsReportedOnlyWithEnoughAccesses() throws {
        let names = try analysis().metrics.map(\.name)
        #expect(names.contains("ui.response.p99.9"))
        #expect(!names.contains("ui.response.p99.99"))
        #expect(names.contains("ui.wait.p99"))
        var result = ResultFixture.comparison(pairs: [], primary: [], noiseFloor: [:])
        result.arms = [
            .init(
                arm: "a",
                metrics: ["ui.response.p50": Spread([1, 2, 3])].compactMapValues { $0 },
                values: [:],
                spectra: [:]
            )
        ]
        let (found, missing) = ComparisonReport.metricNames(result)
        #expect(found == ["ui.response.p50"])
        #expect(missing == "ui.throughput, ui.response.p99, ui.wait.p50, ui.wait.p99")
    }

    @Test func aValueOfZeroStillHasARatio() throws {
        let ratio = try #require(PairedRatio([1e6, 2e6, 4e6], [0, 0, 0], smallest: 1))
        #expect(ratio.ratio < 1e-5)
        #expect(ratio.ratio > 0)
        #expect(PairedRatio([nil, 1], [1, nil], smallest: 1) == nil)
    }

    /// If an arm abandons nine of ten accesses, its results must not cover only the fastest tenth.
    @Test func abandonedAccessesAreIncludedWithTheirTime() throws {
        var result = run("a", throughput: 10, p99: 1e6)
        result.clients["ui"]?.skipped = 900
        var fast = LatencyHistogram()
        for _ in 0..<100 { fast.count(1_000_000) }
        let client = Client.reader(
            "ui",
            pace: .open(Arrival(rate: 1000, skipAfter: .milliseconds(250)))
        )
        let measurement = ComparisonMeasurement(
            result,
            responses: ["ui": ResponseTimes(completed: fast)],
            clients: [client]
        )
        func value(_ name: String) throws -> Double? {
            measurement.value(of: try ComparisonMetric(name, in: MetricCatalog(clients: ["ui"])))
        }
        #expect(measurement.responses["ui"]?.count == 1000)
        let median = try #require(try value("ui.response.p50"))
        #expect(abs(median - 250e6) < 0.01 * 250e6)
        #expect(try value("ui.response.mean") == 225_100_000)
        #expect(try value("ui.wait.p99") == 9_990_000, "abandoned accesses have no wait")
        #expect(result.clients["ui"]?.response?.p99 == 1_000_000, "the result is unchanged")
    }

    /// A batch of 100 writes takes longer than one write, which says nothing about the writes.
    @Test func theTimesOfBatchesAreNotCompared() throws {
        let measurement = ComparisonMeasurement(
            run("a", throughput: 10, p99: 1e6),
            responses: [:],
            clients: [.reader("ui")],
            batch: WriteBatch(client: "ui", size: 100)
        )
        func value(_ name: String) throws -> Double? {
            measurement.value(of: try ComparisonMetric(name, in: MetricCatalog(clients: ["ui"])))
        }
        #expect(try value("ui.throughput") == 1_000)
        #expect(try value("ui.response.p50") == nil)
        #expect(try value("ui.response.mean") == nil)
    }

    /// An arm that cannot keep up is compared by the ages of the accesses that did not end.
    @Test func unfinishedAccessesAreIncludedWithTheirAge() throws {
        let metric = try ComparisonMetric("ui.response.p50", in: MetricCatalog(clients: ["ui"]))
        func measurement(_ time: UInt64, completed: UInt64) -> ComparisonMeasurement {
            var times = ResponseTimes()
            times.completed.count(time, times: completed)
            times.unfinished.count(800_000_000, times: 100 - completed)
            let result = run("a", throughput: 10, p99: 1e6)
            return ComparisonMeasurement(result, responses: ["ui": times])
        }
        let late = measurement(600_000_000, completed: 10)
        let value = try #require(late.value(of: metric))
        #expect(abs(value - 800e6) < 0.01 * 800e6)
        #expect(late.isLowerBound(of: metric))
        let steady = measurement(10_000_000, completed: 99)
        #expect(!steady.isLowerBound(of: metric))
        func pair(_ arms: [ComparisonMeasurement]) throws -> ComparisonPair {
            let plan = try ComparisonPlan(
                Scenario.test([.reader("ui", pace: .open(Arrival(rate: 100)))]),
                arms: [Arm(name: "a", kind: .queue), Arm(name: "b", kind: .queue)],
                options: ComparisonOptions()
            )
            let blocks = (0..<8).map { _ in [arms[0], arms[1], arms[0]] }
            let analysis = ComparisonAnalysis(plan: plan, blocks: blocks, seconds: 1)
            return try #require(
                analysis.pairs(noise: analysis.noise()).first { $0.metric == metric.name }
            )
        }
        let better = try pair([late, steady])
        #expect(better.verdict == .better && better.isBound == true)
        #expect(better.change?.hasPrefix("at least 80×") == true)
        #expect(try pair([steady, late]).isBound == true)
        let unknown = try pair([late, late])
        #expect(unknown.isBound == nil && unknown.verdict == .inconclusive)
        #expect(unknown.note == ComparisonPair.unfinishedNote)
    }

    // MARK: The plan

    @Test func poolsAreComparedWithTheFirstArmAndTheWALQueue() {
        let arms: [Arm] = [
            .init(name: "queue", kind: .queue), .init(name: "wal", kind: .queue, journal: .wal),
            .init(name: "pool", kind: .pool),
        ]
        let names = ComparisonPlan.pairs(of: arms).map { "\($0.b)/\($0.a)" }
        #expect(names == ["wal/queue", "pool/queue", "pool/wal"])
        let two = ComparisonPlan.pairs(of: [arms[1], arms[2]]).map { "\($0.b)/\($0.a)" }
        #expect(two == ["pool/wal"])
    }

    @Test func allArmsAreComparedOnlyWithTheFirstOneOnRequest() throws {
        var options = ComparisonOptions()
        options.onlyAgainstFirst = true
        let arms: [Arm] = [
            .init(name: "queue", kind: .queue), .init(name: "wal", kind: .queue, journal: .wal),
            .init(name: "pool", kind: .pool),
        ]
        let plan = try ComparisonPlan(.test([.reader("ui")]), arms: arms, options: options)
        #expect(plan.pairs.map { "\($0.b)/\($0.a)" } == ["wal/queue", "pool/queue"])
    }

    @Test func tooFewBlocksAreRejectedWithTheRequiredNumber() throws {
        var options = ComparisonOptions()
        options.blocks = 5
        let arms: [Arm] = [.init(name: "a", kind: .queue), .init(name: "b", kind: .pool)]
        let error = #expect(throws: RunError.self) {
            try ComparisonPlan(.test([.reader("ui")]), arms: arms, options: options)
        }
        let message = error?.message ?? ""
        #expect(message.contains("requires at least 6 blocks"), "\(message)")
    }

    @Test func primaryMetricsDependOnTheClientsLoops() throws {
        var scenario = Scenario.test([
            .reader("closed"), .reader("open", pace: .open(Arrival(rate: 900))),
            .doing(.hold(.share(0.1), sql: nil), named: "report", pace: .every(.share(0.2))),
        ])
        let arms: [Arm] = [.init(name: "a", kind: .queue), .init(name: "b", kind: .pool)]
        let plan = try ComparisonPlan(scenario, arms: arms, options: ComparisonOptions())
        #expect(plan.primary.map(\.name) == ["closed.throughput", "open.response.p99"])
        scenario.primary = ["open.wait.p50", "gone.throughput"]
        let declared = try ComparisonPlan(scenario, arms: arms, options: ComparisonOptions())
        #expect(declared.primary.map(\.name) == ["open.wait.p50"])
    }
}
