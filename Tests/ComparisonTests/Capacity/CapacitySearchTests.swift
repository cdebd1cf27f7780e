import Comparison
import Testing
import WorkloadEngine

struct CapacitySearchTests {
    /// Runs a search on a system that sustains rates up to `limit`, and counts the trials.
    private func search(
        limit: Double,
        start: Double,
        precision: Double = 0.05,
        ceiling: Double = 1e6,
        answer: (CapacitySearch.Step, Double) -> CapacitySearch.Answer? = { _, _ in nil }
    ) -> (outcome: CapacitySearch.Outcome, trials: Int) {
        var search = CapacitySearch(start: start, precision: precision, ceiling: ceiling)
        var trials = 0
        while trials < 200 {
            let rate: Double
            switch search.step {
            case .probe(let value), .confirm(let value), .refute(let value): rate = value
            case .done(let outcome): return (outcome, trials)
            }
            trials += 1
            search.record(answer(search.step, rate) ?? (rate <= limit ? .passed : .failed))
        }
        return (search.outcome, trials)
    }

    @Test(
        arguments: [0.7, 3, 17, 100, 999, 12_345, 400_000],
        [1, 50, 2_000, 60_000]
    )
    func theLimitIsFoundWithinThePrecision(limit: Double, start: Double) throws {
        let (outcome, trials) = search(limit: limit, start: start)
        let rate = try #require(outcome.rate)
        #expect(rate <= limit)
        #expect(rate >= limit / 1.05 / 1.03)
        #expect(outcome.isConfirmed)
        #expect(outcome.isRefuted)
        #expect(!outcome.isLowerBound)
        let failsAt = try #require(outcome.failsAt)
        #expect(failsAt > limit)
        #expect(failsAt <= rate * 1.05 * 1.03)
        #expect(trials < 36, "\(trials) trials")
    }

    @Test func aLongRunThatFailsMovesTheLimitDown() throws {
        // Short runs pass more easily than long runs.
        let (outcome, _) = search(limit: 0, start: 100) { step, rate in
            switch step {
            case .probe: rate <= 150 ? .passed : .failed
            default: rate <= 90 ? .passed : .failed
            }
        }
        let rate = try #require(outcome.rate)
        #expect((80...90).contains(rate))
        #expect(outcome.isConfirmed)
        #expect(outcome.isRefuted)
    }

    @Test func aLongRunThatPassesMovesTheLimitUp() throws {
        let (outcome, _) = search(limit: 0, start: 100) { step, rate in
            switch step {
            case .probe: rate <= 100 ? .passed : .failed
            default: rate <= 120 ? .passed : .failed
            }
        }
        let rate = try #require(outcome.rate)
        #expect((110...120).contains(rate))
        #expect(outcome.failsAt ?? 0 > 120)
    }

    @Test func aSystemThatSustainsNoRateHasNoCapacity() {
        let (outcome, trials) = search(limit: 0, start: 64)
        #expect(outcome.rate == nil)
        #expect(!outcome.isConfirmed)
        #expect(outcome.failsAt == 0.5)
        #expect(trials < 12)
    }

    @Test func tooFewSamplesShowNoCapacity() {
        // Short runs never have enough samples below 500/s, and long runs fail at any rate.
        let (outcome, trials) = search(limit: 0, start: 20) { step, rate in
            if case .probe = step { return rate < 500 ? .undecided : .failed }
            return .failed
        }
        #expect(outcome.rate == nil)
        #expect(!outcome.isConfirmed)
        #expect(!outcome.isLowerBound)
        #expect(trials < 25, "\(trials) trials")
    }

    @Test func longRunsFindTheLimitThatShortRunsCannotDecide() throws {
        let (outcome, trials) = search(limit: 0, start: 20) { step, rate in
            if case .probe = step { return rate < 500 ? .undecided : .failed }
            return rate <= 130 ? .passed : .failed
        }
        let rate = try #require(outcome.rate)
        #expect((115...130).contains(rate))
        #expect(outcome.isConfirmed)
        #expect(trials < 25, "\(trials) trials")
    }

    @Test func aSlowGeneratorResultsInALowerBound() throws {
        let (outcome, _) = search(limit: 1e9, start: 100) { _, rate in
            rate > 5_000 ? .unknown : nil
        }
        let rate = try #require(outcome.rate)
        #expect((4_500...5_000).contains(rate))
        #expect(outcome.isConfirmed)
        #expect(outcome.isLowerBound)
        #expect(outcome.failsAt == nil)
    }

    @Test func theCeilingEndsTheSearch() {
        let (outcome, trials) = search(limit: 1e9, start: 100, ceiling: 1_000)
        #expect(outcome.rate == 1_000)
        #expect(outcome.isLowerBound)
        #expect(trials < 10)
    }

    @Test(arguments: [UInt64](1...20))
    func theSearchEndsDespiteNoise(seed: UInt64) {
        var random = RandomStream(seed: seed, stream: "noise")
        let (outcome, trials) = search(limit: 0, start: 100) { _, rate in
            let limit = 500 * (0.7 + 0.6 * Double.random(in: 0...1, using: &random))
            return rate <= limit ? .passed : .failed
        }
        #expect(trials < 60)
        if let rate = outcome.rate { #expect((300...700).contains(rate)) }
    }
}

struct ReaderSearchTests {
    private func smallest(_ candidates: [Int], needed: Int) -> (Int?, [Int]) {
        var search = ReaderSearch(candidates)
        var tried: [Int] = []
        while let step = search.step, tried.count < 50 {
            tried.append(step.readers)
            search.record(step.readers >= needed)
        }
        return (search.smallest, tried)
    }

    @Test(arguments: 1...16)
    func theSmallestSufficientNumberIsFound(needed: Int) {
        let candidates = [1, 2, 3, 4, 6, 8, 12, 16]
        let (found, tried) = smallest(candidates, needed: needed)
        #expect(found == candidates.first { $0 >= needed })
        #expect(tried.count <= 6)
        // The last trial is the long run that confirms the number.
        #expect(tried.last == found)
    }

    @Test func noNumberIsFoundIfNoneSuffices() {
        let (found, tried) = smallest([4, 1, 2], needed: 5)
        #expect(found == nil)
        #expect(tried == [4])
    }

    @Test func aFailedLongRunRequiresMoreReaders() {
        var search = ReaderSearch([1, 2, 4, 8])
        var tried = 0
        while let step = search.step, tried < 50 {
            tried += 1
            search.record(step.readers >= (step.isLong ? 4 : 2))
        }
        #expect(search.smallest == 4)
    }
}
