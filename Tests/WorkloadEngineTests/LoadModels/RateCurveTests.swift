import Scenarios
import Testing

@testable import LoadTestSupport
@testable import WorkloadEngine

struct RateCurveTests {
    private let second: UInt64 = 1_000_000_000

    private func phases(_ phases: [(String, Int, Bool)]) -> PhasePlan {
        var scenario = Scenario.test([])
        scenario.phases = phases.map {
            Phase(name: $0.0, duration: .seconds($0.1), isMeasured: $0.2)
        }
        return PhasePlan(scenario)
    }

    @Test func aRampHasItsAverageRateAndIsMonotonic() throws {
        var curve = RateCurve()
        curve.append(until: 10e9, from: 100, to: 1000)
        #expect(curve.mass(until: 10 * second) == 5500)
        var last: UInt64 = 0
        for number in 1..<5500 {
            let time = try #require(curve.time(ofMass: Double(number)))
            #expect(time > last)
            // `time(ofMass:)` and `mass(until:)` are inverse functions.
            #expect(abs(curve.mass(until: time) - Double(number)) < 1e-3)
            last = time
        }
        #expect(curve.time(ofMass: 5500) == nil)
        // In a ramp from 100/s to 1000/s, the first second has 145 arrivals and the last second has
        // 955.
        #expect(abs(curve.mass(until: second) - 145) < 1e-9)
        #expect(abs(5500 - curve.mass(until: 9 * second) - 955) < 1e-9)
    }

    @Test func aRampToZeroEndsTheArrivals() {
        var curve = RateCurve()
        curve.append(until: 10e9, from: 10, to: 0)
        #expect(curve.time(ofMass: 49.999).map { $0 < 10 * second } == true)
        #expect(curve.time(ofMass: 50) == nil)
    }

    @Test func stagesApplyToTheMeasuredPart() {
        let plan = phases([
            ("warm-up", 5, false), ("a", 4, true), ("gap", 2, false), ("b", 6, true),
        ])
        let arrival = Arrival(stages: [
            .init(from: 100, to: 300, length: .share(0.5)),
            .init(from: 50, to: 50, length: .share(0.2)),
        ])
        let curve = RateCurve(arrival, over: plan)
        #expect(curve.end == 17e9)
        #expect(curve.rate(at: 2 * second) == 100, "the warm-up uses the first rate")
        #expect(curve.rate(at: 5 * second) == 100)
        #expect(abs(curve.rate(at: 7 * second) - 180) < 1e-9)
        #expect(abs(curve.rate(at: 10 * second) - 260) < 1e-9, "the ramp pauses in the gap")
        #expect(abs(curve.rate(at: 11 * second + second / 2) - 280) < 1e-9)
        #expect(curve.rate(at: 13 * second) == 50)
        #expect(curve.rate(at: 16 * second) == 50, "the last rate applies afterward")
    }

    @Test func aChangedCurveKeepsItsPastAndArrivalMasses() throws {
        let curve = RateCurve(rate: 10, end: 100 * second)
        let faster = curve.continued(from: 50 * second, by: curve, times: 4)
        #expect(faster.time(ofMass: 499) == curve.time(ofMass: 499))
        #expect(faster.time(ofMass: 540) == 51 * second)
        #expect(faster.mass(until: 100 * second) == 500 + 2000)
        let off = curve.continued(from: 50 * second, by: curve, times: 0)
        #expect(off.time(ofMass: 500.5) == nil)
        let back = off.continued(from: 60 * second, by: curve, times: 1)
        #expect(back.time(ofMass: 510) == 61 * second)
    }

    @Test func aClientHasArrivalsOnlyInItsPhases() {
        let plan = phases([("a", 2, true), ("b", 2, true), ("c", 2, true)])
        let windows = ActiveWindows(phases: ["b"], of: plan)
        let curve = RateCurve(Arrival(rate: 10), over: plan).only(in: windows)
        #expect(curve.time(ofMass: 1) == 2_100_000_000)
        #expect(curve.time(ofMass: 19.9).map { $0 < 4 * second } == true)
        #expect(curve.time(ofMass: 20) == nil)
        var loop = ClosedLoop(
            think: .constant(.seconds(1)),
            end: 6 * second,
            windows: windows,
            random: nil
        )
        #expect(loop.next(freeAt: 0) == 2 * second)
        #expect(loop.next(freeAt: 2 * second) == 3 * second)
        #expect(loop.next(freeAt: 3 * second + 1) == nil)
        var periods = Periodic(every: second, from: 0, until: 6 * second, windows: windows)
        #expect(periods.next(freeAt: 0) == 2 * second)
        #expect(periods.next(freeAt: 0) == 3 * second)
        #expect(periods.next(freeAt: 0) == nil)
    }

    @Test func thinkTimesFollowTheirDistribution() {
        var random: RandomStream? = RandomStream(seed: 5, stream: "think")
        let mean = ThinkTime.exponential(mean: .milliseconds(5))
        let drawn = (0..<20_000).map { _ in Double(mean.nanoseconds(using: &random)) / 1e6 }
        // The standard error of the mean is 5 ms / √20,000 = 0.035 ms.
        #expect(abs(drawn.reduce(0, +) / 20_000 - 5) < 0.18)
        let range = ThinkTime.uniform(.milliseconds(2)...(.milliseconds(4)))
        let even = (0..<20_000).map { _ in range.nanoseconds(using: &random) }
        #expect(even.allSatisfy { (2_000_000...4_000_000).contains($0) })
        #expect(abs(Double(even.reduce(0, +)) / 20_000 / 1e6 - 3) < 0.03)
    }
}
