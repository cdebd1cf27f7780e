import Telemetry
import Testing

@testable import Comparison

/// Tests when a limit counts as missed at every rate.
struct LatencyFloorTests {
    /// Returns whether runs at rates with observed percentiles show a floor.
    ///
    /// `completed` is the share of the arrivals that complete, and `mean` the mean response time.
    private func hasCause(
        _ runs: [(rate: Double, measure: String, observed: Double)],
        completed: Double = 1,
        mean: UInt64 = 400_000_000
    ) -> Bool {
        var floor = LatencyFloor()
        for run in runs {
            var result = ResultFixture.run
            result.duration = 10
            let count = run.rate * 10
            result.clients["ui"]?.offered = UInt64(count)
            result.clients["ui"]?.completed = UInt64(count * completed)
            result.clients["ui"]?.response?.count = UInt64(count)
            result.clients["ui"]?.response?.mean = mean
            let miss = CapacityCriteria.Miss(
                reason: "missed",
                measure: run.measure,
                observed: run.observed
            )
            floor.add(miss, at: run.rate, of: result, clients: ["ui"])
        }
        return floor.cause != nil
    }

    @Test func accessesThatWaitForAnUnchangedClientMissTheLimitAtEveryRate() {
        let high = (rate: 60.0, measure: "ui.response p(99)", observed: 900e6)
        // A quarter of the rate, with fewer samples and therefore a lower percentile.
        let low = (rate: 15.0, measure: "ui.response p(90)", observed: 800e6)
        #expect(hasCause([high, low]))
        #expect(!hasCause([high, (rate: 30.0, measure: low.measure, observed: 800e6)]))
        #expect(!hasCause([high, (rate: 15.0, measure: low.measure, observed: 300e6)]))
        #expect(!hasCause([high, (rate: 15.0, measure: "other.response p(90)", observed: 800e6)]))
    }

    /// An overloaded database also misses the limit by about the same amount at two rates.
    @Test func anOverloadIsNotAFloor() {
        let high = (rate: 3_200.0, measure: "ui.response p(99)", observed: 9e9)
        let low = (rate: 800.0, measure: "ui.response p(99)", observed: 8e9)
        #expect(!hasCause([high, low], completed: 0.2))
    }

    @Test func accessesThatDoNotOverlapNeedOnlyHalfTheRate() {
        let high = (rate: 20.0, measure: "ui.response p(99)", observed: 60e6)
        let low = (rate: 10.0, measure: "ui.response p(99)", observed: 58e6)
        #expect(hasCause([high, low], mean: 20_000_000))
        #expect(!hasCause([high, low], mean: 100_000_000))
    }
}
