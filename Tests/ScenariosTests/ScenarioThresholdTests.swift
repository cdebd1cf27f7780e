import Scenarios
import Testing

/// Tests thresholds that can end a run early, and metrics for clients with several workers.
struct ScenarioThresholdTests {
    private func thresholds(_ text: String) throws -> [Threshold] {
        let yaml = ScenarioMistake.good.replacing("[\"p(99) < 50ms\"]", with: text)
        return try Scenario.parse(yaml: yaml, file: "f").thresholds
    }

    @Test func aLimitCanEndTheRun() throws {
        let found = try thresholds(
            "[max < 1s, {limit: p(99) < 50ms, abort: true, abort-after: 5s}, "
                + "{limit: mean < 1s, abort: true}, {limit: p(90) < 1s, abort: false}]"
        )
        #expect(found.map(\.expression) == ["max < 1s", "p(99) < 50ms", "mean < 1s", "p(90) < 1s"])
        #expect(found.map(\.abortDelay) == [nil, .seconds(5), .zero, nil])
        let single = try thresholds("{limit: p(99) < 50ms, abort: true}")
        #expect(single.map(\.abortDelay) == [.zero])
    }

    @Test(arguments: mistakes)
    func aMistakeIsReportedAtItsPosition(_ mistake: ScenarioMistake) throws {
        try mistake.expectIssue()
    }

    static let mistakes = [
        ScenarioMistake(
            "[\"p(99) < 50ms\"]",
            "{limit: p(99) < 50ms, abort-after: 5s}",
            "14:38: 'abort-after' of a threshold on 'ui.response' requires abort: true"
        ),
        ScenarioMistake(
            "[\"p(99) < 50ms\"]",
            "{limit: p(99) < 50ms, abort: true, abort-after: 30s}",
            "14:64: 'abort-after' of a threshold on 'ui.response' must be shorter than the "
                + "measured time, 30.0 s"
        ),
        ScenarioMistake(
            "[\"p(99) < 50ms\"]",
            "{abort: true}",
            "14:16: a threshold on 'ui.response' requires 'limit', such as limit: p(99) < 50ms"
        ),
        ScenarioMistake(
            "[\"p(99) < 50ms\"]",
            "{limit: p(99) < 50ms, abort: yes}",
            "14:45: 'abort' of a threshold on 'ui.response' must be true or false, not 'yes'"
        ),
        ScenarioMistake(
            "[\"p(99) < 50ms\"]",
            "{limit: p(99) < 50ms, aborts: true}",
            "14:38: unknown key 'aborts' in a threshold on 'ui.response'; did you mean 'abort'?"
        ),
        ScenarioMistake(
            "[\"p(99) < 50ms\"]",
            "{limit: count > 100, abort: true}",
            "14:37: 'count > 100' of 'ui.response' cannot end a run early: the value only "
                + "increases, so the limit may still be met later; write 'count < …', or remove "
                + "'abort'"
        ),
        ScenarioMistake(
            "ui.response: [\"p(99) < 50ms\"]",
            "wal.bytes: {limit: final < 1MiB, abort: true}",
            "14:36: 'final < 1MiB' of 'wal.bytes' cannot end a run early: its value is known only "
                + "at the end; remove 'abort'"
        ),
        ScenarioMistake(
            "ui.response: [\"p(99) < 50ms\"]",
            "ui.fairness: min > 0.5",
            "14:3: 'ui.fairness' needs a client with at least two workers; 'ui' has one"
        ),
    ]

    @Test func sharesOfAnOpenLoopAreUndefined() {
        let yaml = ScenarioMistake.good
            .replacing("arrival: {rate: 200/s},", with: "workers: 2, arrival: {rate: 200/s},")
            .replacing("ui.response: [\"p(99) < 50ms\"]", with: "ui.fairness: min > 0.5")
        let error = #expect(throws: ScenarioError.self) {
            try Scenario.parse(yaml: yaml, file: "f")
        }
        #expect(
            error?.description
                == "f:14:3: 'ui.fairness' needs a client without 'arrival': any worker of 'ui' serves "
                + "any arrival; limit ui.longest-wait instead"
        )
    }
}
