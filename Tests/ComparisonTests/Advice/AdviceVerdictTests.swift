import Testing

@testable import Comparison

struct AdviceVerdictTests {
    /// Returns a pair for a primary metric whose smaller values are better.
    private func pair(_ ratio: Double, _ verdict: ComparisonVerdict) -> ComparisonPair {
        ComparisonPair(
            metric: "pay.errors.rate",
            a: "app",
            b: "changed",
            ratio: ratio,
            low: ratio,
            high: ratio,
            verdict: verdict,
            blocks: 10,
            primary: true,
            lowerIsBetter: true
        )
    }

    @Test(
        arguments: [
            ([(0.01, .better)], .recommended), ([(0.95, .better)], .small),
            ([(1.0, .same)], .noDifference), ([(1.05, .worse)], .worse),
            // A large improvement justifies a small loss, but not a larger one.
            ([(0.01, .better), (1.07, .worse)], .recommended),
            ([(0.01, .better), (1.12, .worse)], .tradeOff),
            ([(0.95, .better), (1.05, .worse)], .small),
        ] as [([(Double, ComparisonVerdict)], AdviceResult.Verdict)]
    )
    func smallLossesDoNotPreventARecommendation(
        pairs: [(Double, ComparisonVerdict)],
        expected: AdviceResult.Verdict
    ) {
        #expect(AdviceResult.verdict(on: pairs.map { pair($0.0, $0.1) }) == expected)
    }

    /// Accesses that failed at once take longer if they succeed.
    @Test(
        arguments: [
            ("pay.response.p99", 30, true, 0.64, .recommended),
            ("pay.response.p99", 30, true, 0.001, .tradeOff),
            // 36 of 100 accesses succeed before, and 87% of the throughput remains.
            ("pay.throughput", 0.87, false, 0.64, .recommended),
            ("pay.throughput", 0.87, false, 0.05, .tradeOff),
            ("pay.throughput", 0.3, false, 0.64, .tradeOff),
            // The throughput of a closed loop is a time.
            ("sync.throughput", 0.87, false, 0.05, .recommended),
            ("sync.throughput", 0.4, false, 0.05, .tradeOff),
            // Failures of another client are failures.
            ("show.errors.rate", 2, true, 0.64, .tradeOff),
        ] as [(String, Double, Bool, Double, AdviceResult.Verdict)]
    )
    func fewerFailuresJustifyLongerTimes(
        metric: String,
        ratio: Double,
        lowerIsBetter: Bool,
        savedShare: Double,
        expected: AdviceResult.Verdict
    ) {
        var loss = pair(ratio, .worse)
        loss.metric = metric
        loss.lowerIsBetter = lowerIsBetter
        let pairs = [pair(0.005, .better), loss]
        #expect(
            AdviceResult.verdict(on: pairs, closedLoops: ["sync"], savedShare: savedShare)
                == expected
        )
    }

    private func candidate(
        _ name: String,
        _ ratios: [(Double, ComparisonVerdict)],
        finding: Int = 0
    ) -> AdviceResult.Candidate {
        var candidate = AdviceResult.Candidate(
            name: name,
            change: "",
            cost: "",
            weakensDurability: false,
            finding: finding,
            verdict: .recommended
        )
        candidate.confirmed = ratios.map { pair($0.0, $0.1) }
        return candidate
    }

    @Test func aCandidateForAFindingIsTheBestOnlyWithTheLargestGain() {
        let index = candidate("index", [(0.5, .better)])
        let pool = candidate("pool-4", [(0.1, .better)], finding: 1)
        #expect(AdviceResult.precedes(index, pool))
        #expect(
            AdviceResult.introduction(of: [index, pool])
                == "try index first, which answers a finding"
        )
        #expect(AdviceResult.introduction(of: [pool]) == "the best is pool-4")
    }

    /// A change that improves everything precedes one that improves a single metric more.
    @Test func theMeanGainOrdersCandidatesForTheSameFinding() {
        let pool = candidate("pool-4", [(0.1, .better), (0.25, .better)])
        let batch = candidate("batch-10", [(0.09, .better), (1.3, .inconclusive)])
        #expect(AdviceResult.precedes(pool, batch))
        #expect(!AdviceResult.precedes(batch, pool))
    }
}
