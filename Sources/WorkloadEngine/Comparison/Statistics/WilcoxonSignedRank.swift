/// Wilcoxon's signed-rank test of paired differences, exact and two-sided.
///
/// The null hypothesis is that the differences are symmetric around zero (Wilcoxon, "Individual
/// Comparisons by Ranking Methods", Biometrics Bulletin 1, 1945). Differences of equal size share
/// the mean of their ranks. The ranks of zeros are dropped after the ranking, as in Pratt's
/// procedure ("Remarks on Zeros and Ties in the Wilcoxon Signed Rank Procedures", JASA 54, 1959).
/// If zeros were dropped before the ranking, lowering every value could make a sample *more*
/// significant. The p-value is conditional on the observed ranks, and therefore exact with ties and
/// zeros.
package struct WilcoxonSignedRank: Sendable, Equatable {
    /// The sum of the ranks of the positive differences.
    package let positiveRankSum: Double
    /// The sum of the ranks of the negative differences.
    package let negativeRankSum: Double
    /// The number of nonzero differences.
    package let count: Int
    /// The p-value, from 0 to 1.
    ///
    /// The value is 1 if all differences are zero.
    package let pValue: Double

    /// Tests whether finite differences are symmetric around zero.
    package init(_ differences: [Double]) {
        let ranked = Self.doubledRanks(of: differences).filter { $0.difference != 0 }
        let positive = ranked.filter { $0.difference > 0 }.reduce(0) { $0 + $1.rank }
        let negative = ranked.reduce(0) { $0 + $1.rank } - positive
        positiveRankSum = Double(positive) / 2
        negativeRankSum = Double(negative) / 2
        count = ranked.count
        let distribution = SignedRankDistribution(doubledRanks: ranked.map(\.rank))
        // The distribution is symmetric, so both tails together are twice the lower tail.
        let smaller = min(positiveRankSum, negativeRankSum)
        pValue = min(1, 2 * distribution.cumulative(smaller))
    }

    /// Returns each difference with the doubled rank of its absolute value, where ties share their
    /// mean rank.
    private static func doubledRanks(
        of differences: [Double]
    ) -> [(difference: Double, rank: Int)] {
        let sorted = differences.sorted { abs($0) < abs($1) }
        var ranked: [(difference: Double, rank: Int)] = []
        ranked.reserveCapacity(sorted.count)
        var first = 0
        while first < sorted.count {
            // The logarithms of a ratio and its inverse form a tie, even if their last bits differ.
            let limit = abs(sorted[first]) * (1 + 1e-12)
            var end = first + 1
            while end < sorted.count, abs(sorted[end]) <= limit { end += 1 }
            // Twice the mean of the ranks first + 1 … end.
            for difference in sorted[first..<end] { ranked.append((difference, first + 1 + end)) }
            first = end
        }
        return ranked
    }
}
