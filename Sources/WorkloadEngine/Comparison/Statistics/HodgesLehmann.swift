/// Where paired differences lie: the Hodges–Lehmann estimate with its interval.
///
/// The estimate is the median of the Walsh averages, the means of all pairs of differences, each
/// paired with itself too (Hodges and Lehmann, "Estimates of Location Based on Rank Tests", Annals
/// of Mathematical Statistics 34, 1963). The interval reaches from the `k`-th smallest of them to
/// the `k`-th largest, `k` being the largest that the exact signed-rank distribution allows: it
/// holds the locations that ``WilcoxonSignedRank`` would not reject (Hollander, Wolfe and Chicken,
/// "Nonparametric Statistical Methods", section 3.3). With ties it covers at least as often.
package struct HodgesLehmann: Sendable, Equatable {
    /// The location of the differences.
    package let estimate: Double
    /// The lower end of the interval.
    package let low: Double
    /// The upper end of the interval.
    package let high: Double
    /// How often such an interval covers the location, 0…1.
    ///
    /// The distribution comes in steps, so it is seldom the confidence asked for, but the next
    /// level above. With too few differences to reach that (five or fewer for 95 %), the interval
    /// spans all of them, and this is the lower level that it then has: 1 − 2^(1−n).
    package let level: Double

    /// The location of `differences`, which are finite; nil of none.
    package init?(_ differences: [Double], confidence: Double = 0.95) {
        guard !differences.isEmpty else { return nil }
        let averages = Self.walshAverages(differences)
        let middle = averages.count / 2
        estimate =
            averages.count.isMultiple(of: 2)
            ? (averages[middle - 1] + averages[middle]) / 2 : averages[middle]
        let distribution = SignedRankDistribution(count: differences.count)
        let tail = (1 - confidence) / 2
        // Neighbouring floating-point sums must not decide: a tail of exactly `tail` is allowed.
        var cut = 0
        while distribution.cumulative(Double(cut + 1)) <= tail * (1 + 1e-9) { cut += 1 }
        low = averages[cut]
        high = averages[averages.count - 1 - cut]
        level = 1 - 2 * distribution.cumulative(Double(cut))
    }

    /// The means of all pairs of values, sorted.
    private static func walshAverages(_ values: [Double]) -> [Double] {
        var averages: [Double] = []
        averages.reserveCapacity(values.count * (values.count + 1) / 2)
        for (index, first) in values.enumerated() {
            // Halved before it is added: the mean of a value and itself is that value.
            for second in values[index...] { averages.append(first / 2 + second / 2) }
        }
        return averages.sorted()
    }
}
