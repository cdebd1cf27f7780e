/// The rule for reporting a percentile: at least ten values must lie beyond the percentile.
///
/// Every report, threshold, and comparison applies this rule. With fewer values, a percentile
/// describes a few slow accesses instead of the load. A p99 requires 1,000 values, a p99.9 requires
/// 10,000, and a p99.99 requires 100,000.
package enum PercentileRule {
    package static let valuesBeyond = 10.0

    /// Returns whether `count` values support a percentile in 0…100.
    package static func supports(_ percentile: Double, count: UInt64) -> Bool {
        // Floating-point rounding errors must not exclude the tenth value.
        Double(count) * (100 - percentile) / 100 >= valuesBeyond - 1e-6
    }

    /// Returns the number of values that a percentile requires, or `nil` for the 100th percentile,
    /// which no value can exceed.
    package static func neededCount(for percentile: Double) -> UInt64? {
        guard percentile < 100 else { return nil }
        // 1,000 / (100 − 99.9) is slightly more than 10,000 in floating point.
        return UInt64((valuesBeyond * 100 / (100 - percentile) - 1e-6).rounded(.up))
    }
}
