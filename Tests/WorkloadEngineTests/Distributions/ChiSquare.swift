import Foundation

/// Pearson's chi-squared test, which compares counts with their expected values.
enum ChiSquare {
    /// Returns whether more than one of 10,000 samples deviates at least as far as these counts.
    ///
    /// The statistic's quantile is Wilson and Hilferty's approximation (PNAS 17, 1931).
    static func isPlausible(observed: [Int], expected: [Double]) -> Bool {
        // A single class has no degrees of freedom, because its count is the sample's size.
        if expected.count == 1 { return observed.count == 1 && Double(observed[0]) == expected[0] }
        precondition(observed.count == expected.count && expected.allSatisfy { $0 >= 5 })
        var statistic = 0.0
        for (count, mean) in zip(observed, expected) {
            statistic += (Double(count) - mean) * (Double(count) - mean) / mean
        }
        let freedom = Double(observed.count - 1)
        let spread = 2 / (9 * freedom)
        // 3.719 is the standard normal's quantile for 0.9999.
        return statistic < freedom * pow(1 - spread + 3.719 * spread.squareRoot(), 3)
    }
}
