import Scenarios
import Testing

struct ScenarioOverridesTests {
    private func scenario() throws -> Scenario {
        try Scenario.parse(yaml: Self.yaml, file: "f")
    }

    @Test func aShorterRunShrinksEveryPhase() throws {
        let scaled = try scenario().scaled(toMeasured: .seconds(10))
        #expect(scaled.measuredDuration == .seconds(10))
        #expect(scaled.phases.map(\.name) == ["warm-up", "first", "second"])
        let first = scaled.phases[1].duration / .milliseconds(1)
        #expect(abs(first - 10_000.0 / 3) < 0.001)
        let warmUp = scaled.phases[0].duration / .milliseconds(1)
        #expect(abs(warmUp - 2000.0 / 3) < 0.001)
    }

    @Test func aLongerRunKeepsItsWarmUp() throws {
        let scaled = try scenario().scaled(toMeasured: .seconds(300))
        #expect(scaled.measuredDuration == .seconds(300))
        #expect(scaled.phases[0].duration == .seconds(2))
    }

    @Test(arguments: [1, 7, 333, 1001])
    func theMeasuredPartHasExactlyTheRequestedDuration(milliseconds: Int) throws {
        let scenario = try Scenario.parse(
            yaml: Self.yaml.replacing("every: 8s", with: "every: 30%"),
            file: "f"
        )
        let duration = Duration.milliseconds(milliseconds)
        #expect(try scenario.scaled(toMeasured: duration).measuredDuration == duration)
    }

    @Test func anAbsoluteTimeThatNoLongerFitsIsReportedAtItsPosition() throws {
        let error = #expect(throws: ScenarioError.self) {
            try scenario().scaled(toMeasured: .seconds(5))
        }
        #expect(
            error?.description
                == "f:11:38: 'every' of client 'cancel' is 8s, but must be shorter than the "
                + "measured time, 5s"
        )
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func aRunNeedsAPositiveDuration(duration: Duration) throws {
        #expect(throws: ScenarioError.self) { try scenario().scaled(toMeasured: duration) }
    }

    @Test func readersApplyToPools() throws {
        let arms = try scenario().with(readers: 9).arms
        #expect(arms.map(\.readers) == [nil, 9])
        #expect(throws: ScenarioError.self) { try scenario().with(readers: 0) }
    }

    @Test func scaleAndSeedApplyToTheDataset() throws {
        #expect(try scenario().with(scale: 3).dataset == .ycsb(records: 3000))
        #expect(try scenario().with(seed: 5).seed == 5)
        #expect(throws: ScenarioError.self) { try scenario().with(scale: 0) }
        var custom = try scenario()
        custom.dataset = .sql(["CREATE TABLE t (a)"])
        #expect(throws: ScenarioError.self) { try custom.with(scale: 2) }
    }

    static let yaml = """
        version: 1
        name: scaled
        dataset: {preset: ycsb, records: 500}
        arms: {queue: {type: queue}, pool: {type: pool}}
        phases:
          - {name: warm-up, duration: 2s, measure: false}
          - {name: first, duration: 10s}
          - {name: second, duration: 20s}
        clients:
          read:   {access: read, use: ycsb-read}
          cancel: {action: interrupt, every: 8s}
        """
}
