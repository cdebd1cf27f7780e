/// The counts of latencies in buckets with fixed upper bounds, and the sum of the latencies.
///
/// Prometheus's classic histograms use these values. The bounds are the same for all latencies, so
/// histograms of several databases can be added.
public struct LatencyBuckets: Sendable, Codable, Equatable {
    /// The upper bounds of the buckets in nanoseconds: 1, 2.5, and 5 times each power of ten from
    /// 1 µs to 10 s.
    public static let bounds: [UInt64] = {
        var bounds: [UInt64] = []
        var power: UInt64 = 1_000
        while power < 10_000_000_000 {
            bounds += [power, power * 5 / 2, power * 5]
            power *= 10
        }
        return bounds + [power]
    }()

    /// The sum of all latencies, in nanoseconds.
    public var sum: UInt64
    /// The number of latencies in each bucket.
    ///
    /// A bucket contains the latencies that exceed the previous bound but not its own bound. An
    /// additional last bucket contains latencies above all ``bounds``. Empty buckets at the end are
    /// omitted.
    public var counts: [UInt64]

    /// Creates buckets.
    public init(sum: UInt64 = 0, counts: [UInt64] = []) {
        self.sum = sum
        self.counts = counts
    }

    /// Returns the index of the bucket that contains a latency in nanoseconds.
    package static func bucket(of nanoseconds: UInt64) -> Int {
        bounds.firstIndex { nanoseconds <= $0 } ?? bounds.count
    }

    /// Adds `count` latencies to a bucket, without changing the sum.
    package mutating func add(count: UInt64, toBucket bucket: Int) {
        guard count > 0 else { return }
        if bucket >= counts.count {
            counts += repeatElement(0, count: bucket - counts.count + 1)
        }
        counts[bucket] &+= count
    }
}
