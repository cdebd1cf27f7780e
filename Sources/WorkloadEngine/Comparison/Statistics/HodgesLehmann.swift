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
