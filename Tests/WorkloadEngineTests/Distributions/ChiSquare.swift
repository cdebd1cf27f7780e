import Foundation

/// Pearson's chi-squared test, which compares counts with their expected values.
enum ChiSquare {
    /// Returns whether a deviation at least as large as in these counts occurs in more than one of
    /// 10,000 samples.
    ///
    /// The quantile of the statistic is approximated as in Wilson and Hilferty (PNAS 17, 1931).
    static func isPlausible(observed: [Int], expected: [Double]) -> Bool {
        // A single class has no degrees of freedom, because its count is the size of the sample.
        if expected.count == 1 { return observed.count == 1 && Double(observed[0]) == expected[0] }
        precondition(observed.count == expected.count && expected.allSatisfy { $0 >= 5 })
        var statistic = 0.0
        for (count, mean) in zip(observed, expected) {
            statistic += (Double(count) - mean) * (Double(count) - mean) / mean
        }
        let degreesOfFreedom = Double(observed.count - 1)
        let spread = 2 / (9 * degreesOfFreedom)
        // 3.719 is the 0.9999 quantile of the standard normal distribution.
        return statistic < degreesOfFreedom * pow(1 - spread + 3.719 * spread.squareRoot(), 3)
    }
}
