import Scenarios
import Testing

@testable import LoadTestSupport
@testable import WorkloadEngine

/// Tests that each measured part contains its share of the accesses of a rare client.
struct RareArrivalsTests {
    private func phases(_ lengths: [(seconds: Int, isMeasured: Bool)]) -> PhasePlan {
        var scenario = Scenario.test([.reader()])
        scenario.phases = lengths.enumerated().map { index, phase in
            Phase(
                name: "\(index)",
                duration: .seconds(phase.seconds),
                isMeasured: phase.isMeasured
            )
        }
        return PhasePlan(scenario)
    }

    private func arrivals(_ rate: Double, _ plan: PhasePlan, seed: UInt64) -> [Double] {
        var client = Client.reader()
        client.pace = .open(Arrival(rate: rate))
        guard var schedule = client.schedule(seed: seed, phases: plan, windows: .always) else {
            return []
        }
        var times: [Double] = []
        while let time = schedule.next() { times.append(Double(time) / 1e9) }
        return times
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func eachMeasuredPartContainsItsShareWhateverTheSeed(seed: UInt64) {
        let plan = phases([(2, false), (4, true), (3, false), (12, true)])
        let times = arrivals(0.25, plan, seed: seed)
        #expect(times.count { (2..<6).contains($0) } == 1)
        #expect(times.count { (9..<21).contains($0) } == 3)
        #expect(times == times.sorted())
        // A rate of 0.27/s for 20 s is 5.4 accesses.
        let others = arrivals(0.27, phases([(20, true)]), seed: seed)
        #expect((5...6).contains(others.count))
    }

    @Test func theMeanRateIsThatOfTheScenario() {
        let plan = phases([(1, false), (10, true)])
        let counts = (0..<2_000).map { seed in
            arrivals(0.13, plan, seed: seed).count { $0 >= 1 }
        }
        #expect(counts.allSatisfy { (1...2).contains($0) })
        // The standard error of the mean is 0.01.
        #expect(abs(Double(counts.reduce(0, +)) / 2_000 - 1.3) < 0.04)
        let sparse = (0..<2_000).map { arrivals(0.02, plan, seed: $0).count { $0 >= 1 } }
        #expect(abs(Double(sparse.reduce(0, +)) / 2_000 - 0.2) < 0.04)
    }

    @Test func frequentArrivalsRemainAPoissonProcess() {
        let plan = phases([(10, true)])
        let counts = (0..<200).map { Double(arrivals(50, plan, seed: $0).count) }
        let mean = counts.reduce(0, +) / 200
        let variance = counts.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 199
        // In a Poisson process, the variance is the mean.
        #expect(variance > mean / 2)
        #expect(RareArrivals(along: RateCurve(rate: 50, end: plan.end), over: plan) == nil)
        #expect(RareArrivals(along: RateCurve(rate: 0.9, end: plan.end), over: plan) != nil)
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func longRandomThinkTimesAreAtMostTwiceTheMean(seed: UInt64) throws {
        var loop = ClosedLoop(
            think: .exponential(mean: .seconds(4)),
            end: 1_000_000_000_000,
            random: RandomStream(seed: seed, stream: "think")
        )
        let first = loop.next(freeAt: 0)
        var last = try #require(first)
        var count = 0
        while let next = loop.next(freeAt: last) {
            #expect(next - last <= 8_000_000_000)
            last = next
            count += 1
        }
        #expect((249...251).contains(count))
    }

    @Test func aClientWithoutAnAccessIsAnErrorOfThePlan() {
        var rare = Client.reader("sync")
        rare.pace = .open(Arrival(rate: 0.1))
        let scenario = Scenario.test([.reader(), rare])
        #expect(
            scenario.absence(of: "sync", after: 5)
                == "sync was offered no access in 5.00 s: its rate is 0.10/s; measure for at least "
                + "11.0 s (--duration)"
        )
        #expect(scenario.absence(of: "sync", after: 10.1) == nil)
        #expect(scenario.absence(of: "reader", after: 5) == nil)
    }

    /// A worker may be in one access from the warm-up to the end of the run.
    @Test func aClientThatStartsNoAccessIsStuck() {
        var slow = Client.reader("slow")
        slow.pace = .closed(.constant(.seconds(20)))
        var open = Client.reader("open")
        open.pace = .open(Arrival(rate: 10))
        var holder = Client.reader("holder")
        holder.activity = .hold(.absolute(.seconds(60)), sql: nil)
        let scenario = Scenario.test([.reader(), slow, open, holder])
        let reason = scenario.stall(of: "reader", after: 5)
        #expect(reason?.hasPrefix("reader started no access in 5.00 s: all of its workers") == true)
        for name in ["slow", "open", "holder"] {
            #expect(scenario.stall(of: name, after: 5) == nil)
        }
    }

    @Test func gapsFollowThePaceAndTheActivePhases() {
        var client = Client.reader()
        var scenario = Scenario.test([client])
        func gap(_ pace: Client.Pace) -> Duration? {
            client.pace = pace
            return client.longestGap(in: scenario)
        }
        #expect(gap(.open(Arrival(rate: 0.25))) == .seconds(4))
        #expect(gap(.closed(think: .seconds(3))) == .seconds(3))
        #expect(gap(.closed(.exponential(mean: .seconds(2)))) == .seconds(4))
        #expect(gap(.every(.absolute(.seconds(5)))) == .seconds(5))
        #expect(gap(.every(.share(0.2))) == nil)
        scenario.phases = [
            Phase(name: "calm", duration: .seconds(8)), Phase(name: "rush", duration: .seconds(2)),
        ]
        client.phases = ["rush"]
        #expect(gap(.open(Arrival(rate: 1))) == .seconds(5))
    }
}
