import MetricDescriptors
import Telemetry

/// The values of a histogram or summary, which must not decrease.
///
/// Prometheus interprets a decrease as a restart of the program, and counts all values again.
struct CumulativeLatencies: Equatable {
    /// The number of latencies up to each bound, or empty for a summary.
    var counts: [UInt64]
    var count: UInt64
    /// The sum of the latencies, in seconds.
    var sum: Double

    init(_ summary: LatencySummary) {
        guard let buckets = summary.buckets else {
            counts = []
            count = summary.count
            sum = seconds(summary.mean) * Double(summary.count)
            return
        }
        counts = []
        count = 0
        for index in LatencyBuckets.bounds.indices {
            if index < buckets.counts.count { count &+= buckets.counts[index] }
            counts.append(count)
        }
        for longer in buckets.counts.dropFirst(counts.count) { count &+= longer }
        sum = seconds(buckets.sum)
    }

    /// Returns these values, corrected so that none of them is less than the corresponding earlier
    /// value.
    ///
    /// Values can decrease briefly because a status reads counts one after another, or because a
    /// publisher rounds its mean. If the count has decreased by more than half, the source has
    /// restarted its counts.
    func following(_ earlier: CumulativeLatencies?) -> CumulativeLatencies {
        guard let earlier, count >= earlier.count / 2, counts.count == earlier.counts.count else {
            return self
        }
        var result = self
        result.count = max(count, earlier.count)
        result.sum = max(sum, earlier.sum)
        for index in counts.indices {
            result.counts[index] = max(counts[index], earlier.counts[index])
        }
        return result
    }
}
