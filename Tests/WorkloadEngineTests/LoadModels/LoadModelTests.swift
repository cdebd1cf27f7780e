import Scenarios
import Testing

@testable import WorkloadEngine

struct LoadModelTests {
    private func arrivals(_ arrival: Arrival, seconds: UInt64, seed: UInt64 = 1) -> [UInt64] {
        var schedule = ArrivalSchedule(
            arrival,
            end: seconds * 1_000_000_000,
            random: RandomStream(seed: seed, stream: "test")
        )
        var times: [UInt64] = []
        while let time = schedule.next() { times.append(time) }
        return times
    }

    @Test func evenArrivalsHaveEqualGapsAndNeverDrift() {
        let times = arrivals(Arrival(rate: 3, process: .even), seconds: 100)
        #expect(times.count == 299)
        #expect(times[0] == 333_333_333)
        #expect(times[2] == 1_000_000_000)
        #expect(times[296] == 99_000_000_000)
    }

    @Test func poissonArrivalsHaveExponentialGaps() {
        let times = arrivals(Arrival(rate: 1000, process: .poisson), seconds: 100)
        // The standard deviation of the count is √100,000 = 316.
        #expect((98_400...101_600).contains(times.count))
        let gaps = zip(times.dropFirst(), times).map { Double($0) - Double($1) }
        let mean = gaps.reduce(0, +) / Double(gaps.count)
        let variance =
            gaps.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(gaps.count)
        // The standard deviation of an exponential distribution equals its mean.
        #expect(abs(variance.squareRoot() / mean - 1) < 0.02)
        #expect(times == times.sorted())
    }

    @Test func equalSeedsProduceEqualSchedules() {
        let arrival = Arrival(rate: 50)
        #expect(
            arrivals(arrival, seconds: 10, seed: 7) == arrivals(arrival, seconds: 10, seed: 7)
        )
        #expect(
            arrivals(arrival, seconds: 10, seed: 7) != arrivals(arrival, seconds: 10, seed: 8)
        )
    }

    @Test func noArrivalIsDueAtTheEndOrLater() {
        let times = arrivals(Arrival(rate: 100, process: .even), seconds: 1)
        #expect(times.last == 990_000_000)
    }

    @Test func aClosedLoopPausesForTheThinkTimeAfterEachAccess() {
        var loop = ClosedLoop(think: 10, end: 100)
        #expect(loop.next(freeAt: 5) == 5)
        #expect(loop.next(freeAt: 20) == 30)
        #expect(loop.next(freeAt: 89) == 99)
        #expect(loop.next(freeAt: 90) == nil)
    }

    @Test func aOneShotMakesOneAccess() {
        var model = OneShot(at: 40)
        #expect(model.next(freeAt: 0) == 40)
        #expect(model.next(freeAt: 50) == nil)
    }

    @Test func periodsAreFixedEvenIfAnAccessTakesLonger() {
        var model = Periodic(every: 10, from: 100, until: 140)
        #expect(model.next(freeAt: 0) == 110)
        #expect(model.next(freeAt: 135) == 120)
        #expect(model.next(freeAt: 136) == 130)
        #expect(model.next(freeAt: 137) == nil)
    }
}
