import Comparison
import Testing
import WorkloadEngine

struct WilcoxonSignedRankTests {
    /// Tests the differences in height between Darwin's cross-fertilized and self-fertilized maize,
    /// in eighths of an inch.
    ///
    /// The source is Fisher, "The Design of Experiments", 1935, section 17. SciPy's manual uses the
    /// data as the example for `wilcoxon`: W− = 24, two-sided p = 0.041259765625.
    @Test func darwinsMaizeHasThePublishedPValue() {
        let test = WilcoxonSignedRank([
            6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75,
        ])
        #expect(test.negativeRankSum == 24)
        #expect(test.positiveRankSum == 96)
        #expect(test.pValue == 0.041259765625)
    }

    /// Tests Hamilton's depression scale before and after a tranquilizer.
    ///
    /// The source is Hollander and Wolfe, "Nonparametric Statistical Methods", example 3.1. R's
    /// manual for `wilcox.test` gives V = 40 and one-sided p = 0.01953.
    @Test func theDepressionScaleHasThePublishedPValue() {
        let test = WilcoxonSignedRank(PublishedPairs.depression)
        #expect(test.positiveRankSum == 40)
        #expect(test.pValue == 20.0 / 512)
    }

    /// Tests the sample from Pratt's paper (JASA 54, 1959, 655–667) with its zero moved slightly
    /// lower.
    ///
    /// In a one-sided test, 109 of the 2¹³ sign patterns are at least as extreme.
    @Test func prattsLoweredSampleHasThePublishedPValue() {
        let lowered = PublishedPairs.pratt.map { $0 - 0.5 }
        #expect(WilcoxonSignedRank(lowered).pValue == 2 * 109.0 / 8192)
    }

    /// Pratt's procedure ranks zeros, so a decrease of every value cannot make a sample more
    /// significantly positive.
    @Test func zerosAreRanked() {
        let test = WilcoxonSignedRank(PublishedPairs.pratt)
        #expect(test.count == 12)
        // Ranks 2 … 12 are positive, rank 13 is negative, and rank 1 belongs to the zero.
        #expect(test.negativeRankSum == 13)
        #expect(test.positiveRankSum == 77)
        let lowered = WilcoxonSignedRank(PublishedPairs.pratt.map { $0 - 0.5 })
        #expect(test.pValue <= lowered.pValue)
    }

    /// Tests an example with ties from Sawyer's course on nonparametric statistics (Washington
    /// University, Math 408, 2009): T− = 5.5 and T+ = 60.5.
    @Test func tiesShareTheirRanksAsInThePublishedExample() {
        let test = WilcoxonSignedRank([11, 4, 3, -2, 13, 2, 7, 4, 3, -3, 12])
        #expect(test.negativeRankSum == 5.5)
        #expect(test.positiveRankSum == 60.5)
    }

    /// Tests the two-sided critical values at 5% from Wilcoxon and Wilcox, "Some Rapid Approximate
    /// Statistical Procedures", 1964, table 2.
    @Test(arguments: [(6, 0), (7, 2), (8, 3), (9, 5), (10, 8), (12, 13), (15, 25), (20, 52)])
    func criticalValuesMatchTheTables(count: Int, critical: Int) {
        let distribution = SignedRankDistribution(count: count)
        #expect(2 * distribution.cumulative(Double(critical)) <= 0.05)
        #expect(2 * distribution.cumulative(Double(critical + 1)) > 0.05)
    }

    @Test func tiesAndZerosAgreeWithTheCountOfAllSignPatterns() {
        var random = RandomStream(seed: 7, stream: "ties")
        for _ in 0..<60 {
            let count = 4 + Int(random.next(below: 7))
            let differences = (0..<count).map { _ in Double(random.next(below: 9)) - 3 }
            let test = WilcoxonSignedRank(differences)
            #expect(abs(test.pValue - countedPValue(differences)) < 1e-12, "\(differences)")
        }
    }

    @Test func zerosAloneHaveAPValueOfOne() {
        #expect(WilcoxonSignedRank([0, 0, 0]).pValue == 1)
        #expect(WilcoxonSignedRank([]).pValue == 1)
    }

    @Test func aHundredDifferencesOfOneSignHaveATinyPValue() {
        let test = WilcoxonSignedRank((1...100).map(Double.init))
        #expect(test.pValue > 0)
        #expect(test.pValue < 1e-29)
    }

    /// Without an effect, at most 5% of the tests are significant, but not far fewer.
    @Test func falseAlarmsOccurAtTheSignificanceLevel() {
        var random = RandomStream(seed: 2026, stream: "null")
        let falseAlarms = (0..<2000).count { _ in
            let noise = (0..<10).map { _ in random.nextNormal() }
            return WilcoxonSignedRank(noise).pValue <= 0.05
        }
        // This is the 99% interval of a binomial distribution with 2,000 draws at 5%.
        #expect((75...125).contains(falseAlarms), "\(falseAlarms)")
    }

    /// Returns the p-value from a count of all sign patterns, with an independent ranking.
    private func countedPValue(_ differences: [Double]) -> Double {
        let sizes = differences.map { abs($0) }
        let ranks = sizes.map { size in
            let below = sizes.count { $0 < size }
            return Double(below) + Double(sizes.count { $0 == size } + 1) / 2
        }
        let used = zip(differences, ranks).filter { $0.0 != 0 }
        let total = used.reduce(0) { $0 + $1.1 }
        let found = used.filter { $0.0 > 0 }.reduce(0) { $0 + $1.1 }
        let distance = abs(found - total / 2)
        let extreme = (0..<(1 << used.count)).count { pattern in
            var sum = 0.0
            for (bit, item) in used.enumerated() where pattern & (1 << bit) != 0 { sum += item.1 }
            return abs(sum - total / 2) >= distance - 1e-9
        }
        return Double(extreme) / Double(1 << used.count)
    }
}
