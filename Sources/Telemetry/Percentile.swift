/// The calculation of percentiles, and the rule for reporting them.
///
/// Database statuses and the screens that draw distributions use this calculation. For the
/// latencies that a load measures itself, HdrHistogram finds the values
/// (`LatencyHistogram.value(at:)` in `WorkloadEngine`).
///
/// At least ten values must lie beyond a reported percentile. Every report, threshold, and
/// comparison applies this rule. With fewer values, a percentile describes a few slow accesses
/// instead of the load. A p99 requires 1,000 values, a p99.9 requires 10,000, and a p99.99 requires
/// 100,000.
package enum Percentile {
    /// The minimum number of values beyond a reported percentile.
    package static let valuesBeyond = 10.0

    /// Returns whether `count` values support a percentile from 0 to 100.
    package static func supports(_ percentile: Double, count: UInt64) -> Bool {
        // Allow for rounding, which must not exclude the tenth value.
        Double(count) * (100 - percentile) / 100 >= valuesBeyond - 1e-6
    }

    /// Returns the number of values that a percentile requires, or `nil` for the 100th percentile,
    /// which no value can exceed.
    package static func neededCount(for percentile: Double) -> UInt64? {
        guard percentile < 100 else { return nil }
        // 1,000 / (100 − 99.9) is slightly more than 10,000 in floating point.
        return UInt64((valuesBeyond * 100 / (100 - percentile) - 1e-6).rounded(.up))
    }

    /// Finds the value at a percentile among values that are counted in ascending buckets.
    ///
    /// The method is that of the nearest rank: the value is the smallest one for which at least the
    /// percentile's share of all values is not larger.
    ///
    /// - Parameters:
    ///   - percentile: The percentile, from 0 to 100.
    ///   - counts: The number of values in each bucket, in ascending order of the values.
    /// - Returns: The index of the value's bucket, and the share of the bucket's values, from 0 to
    ///   1, that belong to the percentile, or `nil` if there are no values.
    package static func place<Count: BinaryInteger>(
        of percentile: Double,
        in counts: some Collection<Count>
    ) -> (bucket: Int, share: Double)? {
        let total = counts.reduce(0.0) { $0 + Double($1) }
        var rest = total * percentile / 100
        var last: Int?
        for (bucket, count) in counts.enumerated() where count > 0 {
            let count = Double(count)
            // Allow for rounding, which must not move the value to the next bucket.
            if count >= rest - 1e-6 { return (bucket, min(max(rest, 0) / count, 1)) }
            rest -= count
            last = bucket
        }
        return last.map { ($0, 1) }
    }

    /// Finds the value at a percentile like ``place(of:in:)``, or returns `nil` if there are too
    /// few values to report the percentile.
    static func reportedPlace<Count: BinaryInteger>(
        of percentile: Double,
        in counts: some Collection<Count>
    ) -> (bucket: Int, share: Double)? {
        let count = counts.reduce(0) { $0 + UInt64($1) }
        return supports(percentile, count: count) ? place(of: percentile, in: counts) : nil
    }
}
