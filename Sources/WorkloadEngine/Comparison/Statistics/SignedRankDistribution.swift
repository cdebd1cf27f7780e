/// How likely each sum of positive ranks is when every difference is as likely up as down.
///
/// Each rank joins the sum or stays out of it with probability ½, so the distribution is built rank
/// by rank (the shift algorithm of Streitberg and Röhmel, "Exact Distributions for Permutation and
/// Rank Tests", Statistical Software Newsletter 12, 1986). It is exact, also for the ranks that
/// tied differences share: they are kept in halves, and halves are whole numbers of ½.
package struct SignedRankDistribution: Sendable {
    /// How likely a sum of at most `s` is, as the element `2s`.
    private let atMost: [Double]

    /// The distribution of the sum of some ranks, each given twice as large as it is.
    package init(doubledRanks: [Int]) {
        var probabilities = [Double](repeating: 0, count: doubledRanks.reduce(1, +))
        probabilities[0] = 1
        var largest = 0
        for rank in doubledRanks {
            largest += rank
            // From the top, so that each place is read before it is written.
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

    /// The distribution of the ranks 1, 2 … `count`, none of them shared.
    package init(count: Int) {
        self.init(doubledRanks: (0..<count).map { 2 * ($0 + 1) })
    }

    /// The probability of a sum of at most `sum`, which is a multiple of ½.
    package func cumulative(_ sum: Double) -> Double {
        sum < 0 ? 0 : atMost[min(Int((2 * sum).rounded()), atMost.count - 1)]
    }
}
