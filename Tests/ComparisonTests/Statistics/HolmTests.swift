import Comparison
import Testing
import WorkloadEngine

struct HolmTests {
    /// Tests adjusted values as defined by Wright, "Adjusted P-Values for Simultaneous Inference",
    /// Biometrics 48, 1992.
    ///
    /// The numbers are from the example in Wikipedia's article on the Holm–Bonferroni method: 0.01,
    /// 0.04, 0.03, and 0.005. The first and the last hypothesis are rejected at 5%.
    @Test func fourHypothesesHaveThePublishedAdjustedValues() {
        let adjusted = Holm.adjusted([0.01, 0.04, 0.03, 0.005])
        for (value, expected) in zip(adjusted, [0.03, 0.06, 0.06, 0.02]) {
            #expect(abs(value - expected) < 1e-12)
        }
    }

    @Test func adjustedValuesAreMonotonicProbabilities() {
        #expect(Holm.adjusted([0.5, 0.6, 0.9]) == [1, 1, 1])
        #expect(Holm.adjusted([0.02]) == [0.02])
        #expect(Holm.adjusted([]) == [])
        #expect(Holm.adjusted([0.04, 0.04]) == [0.08, 0.08])
    }

    /// For five true null hypotheses, the chance of any false alarm is below 5%.
    @Test func theChanceOfAnyFalseAlarmIsBelowTheLevel() {
        var random = RandomStream(seed: 5, stream: "families")
        let familiesWithAlarms = (0..<2000).count { _ in
            let values = (0..<5).map { _ in
                WilcoxonSignedRank((0..<10).map { _ in random.nextNormal() }).pValue
            }
            return Holm.adjusted(values).contains { $0 <= 0.05 }
        }
        #expect(familiesWithAlarms <= 125, "\(familiesWithAlarms)")
        #expect(familiesWithAlarms > 40, "a correction that never raises an alarm proves nothing")
    }
}
