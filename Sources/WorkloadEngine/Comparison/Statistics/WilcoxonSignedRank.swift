/// Wilcoxon's signed-rank test of paired differences, exact and two-sided.
///
/// The null hypothesis is that the differences lie symmetrically around zero (Wilcoxon,
/// "Individual Comparisons by Ranking Methods", Biometrics Bulletin 1, 1945). Differences of equal
/// size share the mean of their ranks. A zero takes part in the ranking and then loses its rank:
/// Pratt's procedure ("Remarks on Zeros and Ties in the Wilcoxon Signed Rank Procedures", JASA 54,
/// 1959), because leaving zeros out beforehand can make a sample look *more* significant after
/// each of its values was lowered. The p-value is conditional on the ranks found, thus exact with
/// ties and zeros too.
package struct WilcoxonSignedRank: Sendable, Equatable {
    /// The sum of the ranks of the positive differences.
    package let positiveRankSum: Double
    /// The sum of the ranks of the negative differences.
    package let negativeRankSum: Double
    /// How many differences are not zero.
    package let count: Int
    /// The probability of rank sums at least as uneven if there were no effect, 0…1.
    ///
    /// 1 when there is no difference that is not zero.
    package let pValue: Double

    /// Tests whether `differences`, which are finite, lie around zero.
    package init(_ differences: [Double]) {
        let ranked = Self.doubledRanks(of: differences).filter { $0.difference != 0 }
        let positive = ranked.filter { $0.difference > 0 }.reduce(0) { $0 + $1.rank }
        let negative = ranked.reduce(0) { $0 + $1.rank } - positive
        positiveRankSum = Double(positive) / 2
        negativeRankSum = Double(negative) / 2
        count = ranked.count
        let distribution = SignedRankDistribution(doubledRanks: ranked.map(\.rank))
        // The distribution is symmetric: both tails are as likely as the lower one twice.
        let smaller = min(positiveRankSum, negativeRankSum)
        pValue = min(1, 2 * distribution.cumulative(smaller))
    }

    /// Each difference with twice its rank by absolute size, ties sharing the mean of theirs.
    private static func doubledRanks(
        of differences: [Double]
    ) -> [(difference: Double, rank: Int)] {
        let sorted = differences.sorted { abs($0) < abs($1) }
        var ranked: [(difference: Double, rank: Int)] = []
        ranked.reserveCapacity(sorted.count)
        var first = 0
        while first < sorted.count {
            // Logarithms of a ratio and of its inverse may differ in their last bits: still a tie.
            let limit = abs(sorted[first]) * (1 + 1e-12)
            var end = first + 1
            while end < sorted.count, abs(sorted[end]) <= limit { end += 1 }
            // The mean of the ranks first + 1 … end, twice.
            for difference in sorted[first..<end] { ranked.append((difference, first + 1 + end)) }
            first = end
        }
        return ranked
    }
}
