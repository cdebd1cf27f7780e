#if Metrics
import Telemetry

/// The latencies that a histogram has gained since an earlier status.
struct NewLatencies {
    /// A time for each bucket with new latencies, in nanoseconds, and the number of new latencies
    /// in the bucket.
    ///
    /// The times are inside their buckets, all at the same relative position. The position makes
    /// the sum of all times equal to the growth of the histogram's sum.
    private(set) var values: [(nanoseconds: UInt64, count: UInt64)] = []
    /// The summary to compare with the next one, with counts that never decrease.
    private(set) var total: LatencySummary

    init(_ now: LatencySummary, since earlier: LatencySummary?) {
        total = now
        // Without buckets, the latencies are unknown.
        guard let buckets = now.buckets else { return }
        let old = earlier?.buckets ?? LatencyBuckets()
        let bucketCount = max(buckets.counts.count, old.counts.count)
        let counts = (0..<bucketCount).map { index in
            let oldCount = index < old.counts.count ? old.counts[index] : 0
            let newCount = index < buckets.counts.count ? buckets.counts[index] : 0
            return (old: oldCount, new: max(oldCount, newCount))
        }
        total.buckets = LatencyBuckets(sum: max(old.sum, buckets.sum), counts: counts.map(\.new))

        let gains: [(count: UInt64, lower: Double, upper: Double)] = counts.enumerated()
            .compactMap { index, count in
                guard count.new > count.old else { return nil }
                let bounds = LatencyBuckets.bounds
                let lower = index == 0 ? 0 : Double(bounds[min(index, bounds.count) - 1])
                let upper = index < bounds.count ? Double(bounds[index]) : Double(now.max)
                return (count.new - count.old, lower, max(upper, lower + 1))
            }
        let minimumSum = gains.reduce(0) { $0 + Double($1.count) * $1.lower }
        let range = gains.reduce(0) { $0 + Double($1.count) * ($1.upper - $1.lower) }
        let sum = Double(buckets.sum - min(buckets.sum, old.sum))
        let position = range > 0 ? min(max((sum - minimumSum) / range, 0), 1) : 0
        values = gains.map { gain in
            // A bucket excludes its lower bound.
            let time = max(gain.lower + position * (gain.upper - gain.lower), gain.lower + 1)
            return (UInt64(time.rounded()), gain.count)
        }
    }
}
#endif
