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

/// The location of paired differences: the Hodges–Lehmann estimate and its interval.
///
/// The estimate is the median of the Walsh averages, which are the means of all pairs of
/// differences, including each difference paired with itself (Hodges and Lehmann, "Estimates of
/// Location Based on Rank Tests", Annals of Mathematical Statistics 34, 1963). The interval extends
/// from the `k`-th smallest average to the `k`-th largest average. The exact signed-rank
/// distribution determines `k`. The interval contains the locations that ``WilcoxonSignedRank``
/// does not reject (Hollander, Wolfe, and Chicken, "Nonparametric Statistical Methods", section
/// 3.3). With ties, its coverage is at least as high.
package struct HodgesLehmann: Sendable, Equatable {
    /// The location of the differences.
    package let estimate: Double
    /// The lower end of the interval.
    package let low: Double
    /// The upper end of the interval.
    package let high: Double
    /// The interval's confidence level, from 0 to 1.
    ///
    /// The distribution is discrete, so the level is usually the lowest possible level above the
    /// requested confidence. With too few differences (five or fewer for 95%), the interval spans
    /// all averages and has the lower level 1 − 2^(1−n).
    package let level: Double

    /// Computes the location of finite differences, or returns `nil` for an empty array.
    package init?(_ differences: [Double], confidence: Double = 0.95) {
        guard !differences.isEmpty else { return nil }
        let averages = Self.walshAverages(differences)
        let middle = averages.count / 2
        estimate =
            averages.count.isMultiple(of: 2)
            ? (averages[middle - 1] + averages[middle]) / 2 : averages[middle]
        let distribution = SignedRankDistribution(count: differences.count)
        let tail = (1 - confidence) / 2
        // The factor keeps a tail of exactly `tail`, despite floating-point rounding.
        var cut = 0
        while distribution.cumulative(Double(cut + 1)) <= tail * (1 + 1e-9) { cut += 1 }
        low = averages[cut]
        high = averages[averages.count - 1 - cut]
        level = 1 - 2 * distribution.cumulative(Double(cut))
    }

    private static func walshAverages(_ values: [Double]) -> [Double] {
        var averages: [Double] = []
        averages.reserveCapacity(values.count * (values.count + 1) / 2)
        for (index, first) in values.enumerated() {
            // Halve before adding, so that the mean of a value and itself is exactly that value.
            for second in values[index...] { averages.append(first / 2 + second / 2) }
        }
        return averages.sorted()
    }
}

/// The distribution of the sum of positive ranks if both signs are equally likely.
///
/// The sum contains each rank with probability ½. The distribution is computed rank by rank with
/// the shift algorithm (Streitberg and Röhmel, "Exact Distributions for Permutation and Rank
/// Tests", Statistical Software Newsletter 12, 1986). The result is exact even for tied
/// differences, because their mean ranks are multiples of ½.
package struct SignedRankDistribution: Sendable {
    /// The probability of a sum of at most `s`, at index `2s`.
    private let atMost: [Double]

    /// Creates the distribution from doubled ranks.
    package init(doubledRanks: [Int]) {
        var probabilities = [Double](repeating: 0, count: doubledRanks.reduce(1, +))
        probabilities[0] = 1
        var largest = 0
        for rank in doubledRanks {
            largest += rank
            // Iterate in descending order to read each element before overwriting it.
            for sum in stride(from: largest, through: 0, by: -1) {
                let without = probabilities[sum]
                let with = sum >= rank ? probabilities[sum - rank] : 0
                probabilities[sum] = (without + with) / 2
            }
        }
        var total = 0.0
        atMost = probabilities.map { probability in
            total += probability
            return min(1, total)
        }
    }

    /// Creates the distribution for the ranks 1, 2, …, `count` without ties.
    package init(count: Int) {
        self.init(doubledRanks: (0..<count).map { 2 * ($0 + 1) })
    }

    /// Returns the probability of a sum of at most `sum`, which is a multiple of ½.
    package func cumulative(_ sum: Double) -> Double {
        sum < 0 ? 0 : atMost[min(Int((2 * sum).rounded()), atMost.count - 1)]
    }
}

/// Holm's correction for multiple tests.
package enum Holm {
    /// Returns the adjusted p-values, in the given order.
    ///
    /// If every hypothesis with an adjusted p-value of at most α is rejected, the probability of
    /// any false alarm is at most α, even for dependent tests. The i-th smallest of m p-values is
    /// multiplied by m − i + 1, replaced by the preceding result if that is larger, and limited to
    /// 1 (Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of
    /// Statistics 6, 1979). For adjusted p-values, see Wright, Biometrics 48, 1992.
    package static func adjusted(_ pValues: [Double]) -> [Double] {
        var adjusted = pValues
        var largest = 0.0
        let order = pValues.indices.sorted { pValues[$0] < pValues[$1] }
        for (rank, index) in order.enumerated() {
            largest = max(largest, min(1, pValues[index] * Double(pValues.count - rank)))
            adjusted[index] = largest
        }
        return adjusted
    }
}

/// A type that computes the number of blocks that a comparison needs to show a difference.
///
/// If all `n` paired differences have the same sign, the p-value has its minimum, 2^(1−n). Holm's
/// correction multiplies the smallest of `m` p-values by `m`. If m × 2^(1−n) exceeds the
/// significance level, no difference can be significant.
package enum BlockCount {
    /// The significance level of comparisons.
    package static let significance = 0.05

    /// Returns the smallest possible corrected p-value.
    package static func smallestPValue(blocks: Int, tests: Int) -> Double {
        let significand = Double(max(1, tests))
        return min(1, Double(sign: .plus, exponent: 1 - max(1, blocks), significand: significand))
    }

    /// Returns whether the given number of blocks can show a difference in the given tests.
    package static func suffices(_ blocks: Int, tests: Int) -> Bool {
        smallestPValue(blocks: blocks, tests: tests) <= significance
    }

    /// Returns the minimum number of blocks that can show a difference.
    package static func minimum(tests: Int) -> Int {
        var blocks = 1
        while !suffices(blocks, tests: tests) { blocks += 1 }
        return blocks
    }
}
