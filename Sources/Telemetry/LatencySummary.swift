/// A summary of a latency histogram.
///
/// All durations are in nanoseconds.
///
/// A percentile is `nil` if fewer than ten values would exceed it, because such a percentile
/// describes a few slow accesses instead of the load.
public struct LatencySummary: Sendable, Codable, Equatable {
    /// The number of recorded values.
    public var count: UInt64
    /// The arithmetic mean.
    public var mean: UInt64
    /// The 50th percentile.
    public var p50: UInt64?
    /// The 90th percentile.
    public var p90: UInt64?
    /// The 95th percentile.
    public var p95: UInt64?
    /// The 99th percentile.
    public var p99: UInt64?
    /// The 99.9th percentile.
    public var p999: UInt64?
    /// The 99.99th percentile.
    public var p9999: UInt64?
    /// The largest value.
    public var max: UInt64
    /// The counts of the values in buckets, or `nil` if they are unknown.
    public var buckets: LatencyBuckets?

    /// Creates a summary from durations in nanoseconds.
    public init(
        count: UInt64,
        mean: UInt64,
        p50: UInt64? = nil,
        p90: UInt64? = nil,
        p95: UInt64? = nil,
        p99: UInt64? = nil,
        p999: UInt64? = nil,
        p9999: UInt64? = nil,
        max: UInt64
    ) {
        self.count = count
        self.mean = mean
        self.p50 = p50
        self.p90 = p90
        self.p95 = p95
        self.p99 = p99
        self.p999 = p999
        self.p9999 = p9999
        self.max = max
    }

    private enum CodingKeys: String, CodingKey {
        case count
        case mean
        case p50
        case p90
        case p95
        case p99
        case p999 = "p99.9"
        case p9999 = "p99.99"
        case max
        case buckets
    }

    /// The summary without ``buckets``, for reports.
    package var withoutBuckets: LatencySummary {
        var summary = self
        summary.buckets = nil
        return summary
    }
}
