import Scenarios
import Testing

@testable import Comparison
@testable import LoadTestSupport

struct FailConditionTests {
    private let scenario = Scenario.test([
        .reader("ui", pace: .open(Arrival(rate: 100))), .reader("pay"),
    ])
    private let arms = ["queue", "pool"]

    private func condition(_ text: String) throws -> FailCondition {
        try FailCondition(text, in: scenario, arms: arms)
    }

    private func pair(
        _ ratio: Double?,
        _ verdict: ComparisonVerdict,
        metric: String = "ui.response.p99"
    ) -> ComparisonPair {
        ComparisonPair(
            metric: metric,
            a: "queue",
            b: "pool",
            ratio: ratio,
            low: ratio.map { $0 * 0.9 },
            high: ratio.map { $0 * 1.1 },
            p: 0.01,
            verdict: verdict,
            blocks: 10,
            primary: true,
            lowerIsBetter: true,
            note: ratio == nil ? "too few samples" : nil
        )
    }

    @Test func conditionsAreParsed() throws {
        let first = try condition("ui.response.p99 > 1.1x")
        #expect(first.metric.name == "ui.response.p99")
        #expect(first.failsAbove)
        #expect(first.factor == 1.1)
        #expect(first.arm == nil)
        let second = try condition(" pool : pay.throughput<0.9×")
        #expect(second.metric.name == "pay.throughput")
        #expect(!second.failsAbove)
        #expect(second.factor == 0.9)
        #expect(second.arm == "pool")
        #expect(try condition("wal.bytes.max > 2").factor == 2)
    }

    @Test(arguments: [
        ("ui.response.p99", "has no comparison"),
        ("ui.respons.p99 > 1.1x", "did you mean 'response'?"),
        ("iu.response.p99 > 1.1x", "did you mean 'ui'?"),
        ("ui.response.p98 > 1.1x", "did you mean 'p99'?"),
        ("ui.response > 1.1x", "has no aggregate; add one of"),
        ("ui.response.p99 > much", "'much' is not a ratio; write, for example, 1.1x"),
        ("ui.response.p99 > -1x", "is not a ratio"),
        ("ui.response.p99 > 10%", "is not a ratio"),
        ("> 1.1x", "has no metric"),
        ("pol: ui.response.p99 > 1.1x", "did you mean 'pool'?"),
        ("queue: ui.response.p99 > 1.1x", "'queue' is the baseline; choose another arm"),
    ])
    func mistakesReportTheExpectedForm(text: String, expected: String) {
        let error = #expect(throws: FailCondition.Failure.self) { try condition(text) }
        #expect(error?.description.contains(expected) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains(text) == true)
    }

    @Test func aRegressionMustBeConfirmedToFail() throws {
        let limit = try condition("ui.response.p99 > 1.1x")
        func fails(_ pair: ComparisonPair) -> Bool? {
            limit.outcome(of: pair, against: "queue")?.failed
        }
        #expect(fails(pair(1.5, .worse)) == true)
        #expect(fails(pair(1.05, .worse)) == false)
        #expect(fails(pair(1.5, .inconclusive)) == false)
        #expect(fails(pair(1.2, .same)) == false)
        // Without samples, the condition cannot be confirmed, so it fails.
        #expect(fails(pair(nil, .inconclusive)) == true)
        #expect(fails(pair(1.5, .worse, metric: "pay.throughput")) == nil)
        #expect(limit.outcome(of: pair(1.5, .worse), against: "other") == nil)
    }

    @Test func aRequiredImprovementMustBeObserved() throws {
        let demand = try condition("ui.response.p99 > 0.9x")
        #expect(demand.outcome(of: pair(1, .same), against: "queue")?.failed == true)
        #expect(demand.outcome(of: pair(0.95, .inconclusive), against: "queue")?.failed == true)
        #expect(demand.outcome(of: pair(0.5, .better), against: "queue")?.failed == false)
    }

    @Test func aConditionThatTheBlocksCannotDecideIsRejected() throws {
        var options = ComparisonOptions()
        options.failIf = [try condition("ui.response.p99 > 1.1x")]
        let arms: [Arm] = [.init(name: "queue", kind: .queue), .init(name: "pool", kind: .pool)]
        var scenario = scenario
        scenario.phases[0].duration = .seconds(3)
        let error = #expect(throws: RunError.self) {
            try ComparisonPlan(scenario, arms: arms, options: options)
        }
        // A rate of 100/s for 3 s provides 300 accesses. A p99 needs 1,000 accesses, but 300 are
        // enough for a p95.
        #expect(error?.message.contains("--duration of 11s, or ui.response.p95") == true)
        scenario.phases[0].duration = .seconds(12)
        let plan = try ComparisonPlan(scenario, arms: arms, options: options)
        #expect(plan.primary.map(\.name) == ["pay.throughput", "ui.response.p99"].reversed())
    }
}
