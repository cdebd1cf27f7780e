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
