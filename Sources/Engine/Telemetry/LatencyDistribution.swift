/// The counts of latencies in a fixed series of buckets.
///
/// The format is small enough for a sample and precise enough for a histogram and a heat map.
/// Buckets are log-linear, with four per octave, starting at 128 ns, for a precision of 25%. Bucket
/// 0 contains shorter latencies. The last bucket contains latencies of about eight minutes or more.
/// Empty buckets at both ends are omitted.
public struct LatencyDistribution: Sendable, Codable, Equatable {
    /// The number of buckets.
    public static let bucketCount = 129

    /// The index of the bucket that the first element of ``counts`` describes.
    public private(set) var firstBucket: Int
    /// The number of latencies in each bucket, starting with ``firstBucket``.
    public private(set) var counts: [UInt32]

    /// Creates an empty distribution.
    public init() {
        firstBucket = 0
        counts = []
    }

    private enum CodingKeys: CodingKey { case firstBucket, counts }

    /// Decodes a distribution, which a different program may have written.
    ///
    /// - Throws: `DecodingError` if a bucket does not exist.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        firstBucket = try container.decode(Int.self, forKey: .firstBucket)
        counts = try container.decode([UInt32].self, forKey: .counts)
        guard (0..<Self.bucketCount).contains(firstBucket),
            counts.count <= Self.bucketCount - firstBucket
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .firstBucket,
                in: container,
                debugDescription: "expected buckets from 0 to \(Self.bucketCount - 1)"
            )
        }
    }

    /// The number of latencies.
    public var count: UInt64 { counts.reduce(0) { $0 + UInt64($1) } }

    /// Returns the index of the bucket that contains a latency in nanoseconds.
    public static func bucket(of nanoseconds: UInt64) -> Int {
        guard nanoseconds >= 128 else { return 0 }
        let exponent = 63 - nanoseconds.leadingZeroBitCount
        let quarter = Int((nanoseconds >> UInt64(exponent - 2)) & 3)
        return min(1 + (exponent - 7) * 4 + quarter, bucketCount - 1)
    }

    /// Returns the shortest latency in a bucket, in nanoseconds.
    ///
    /// The shortest latency in the next bucket is the upper bound of this bucket.
    public static func lowerBound(of bucket: Int) -> UInt64 {
        guard bucket > 0 else { return 0 }
        let step = min(bucket, bucketCount) - 1
        return UInt64(4 + step % 4) << UInt64(step / 4 + 5)
    }

    /// The number of latencies in a bucket.
    public subscript(bucket: Int) -> UInt32 {
        let index = bucket - firstBucket
        return counts.indices.contains(index) ? counts[index] : 0
    }

    /// Returns the approximate latency at a percentile (from 0 to 100), in nanoseconds, or `nil` if
    /// there are too few latencies.
    ///
    /// See ``Percentile`` for the required number of latencies. The result is interpolated within
    /// its bucket.
    package func percentile(_ percentile: Double) -> UInt64? {
        guard let place = Percentile.reportedPlace(of: percentile, in: counts) else { return nil }
        let bucket = firstBucket + place.bucket
        let low = Double(Self.lowerBound(of: bucket))
        let high = Double(Self.lowerBound(of: bucket + 1))
        return UInt64(low + max(high - low, 0) * place.share)
    }

    /// The upper bound of the last bucket with latencies, in nanoseconds, or `nil` if there are no
    /// latencies.
    ///
    /// No percentile exceeds this bound.
    package var upperBound: UInt64? {
        counts.lastIndex { $0 > 0 }.map { Self.lowerBound(of: firstBucket + $0 + 1) }
    }

    /// Adds `count` latencies of `nanoseconds` each.
    public mutating func add(_ nanoseconds: UInt64, count: UInt64 = 1) {
        add(bucket: Self.bucket(of: nanoseconds), count: count)
    }

    /// Adds the latencies of a distribution.
    public mutating func add(_ other: LatencyDistribution) {
        for (offset, count) in other.counts.enumerated() where count > 0 {
            add(bucket: other.firstBucket + offset, count: UInt64(count))
        }
    }

    private mutating func add(bucket: Int, count: UInt64) {
        guard count > 0 else { return }
        if counts.isEmpty { firstBucket = bucket }
        if bucket < firstBucket {
            counts.insert(contentsOf: repeatElement(0, count: firstBucket - bucket), at: 0)
            firstBucket = bucket
        }
        let index = bucket - firstBucket
        if index >= counts.count {
            counts.append(contentsOf: repeatElement(0, count: index - counts.count + 1))
        }
        counts[index] = UInt32(min(UInt64(counts[index]) + count, UInt64(UInt32.max)))
    }
}

/// The latencies of a client's operation over about one second, including accesses outside the
/// measured phases.
public struct OperationLatencies: Sendable, Codable, Equatable {
    /// The name of the operation in the scenario.
    public var name: String
    /// The time from the scheduled start to the end of the access.
    public var response: LatencyDistribution
    /// The time from the start of the access to the start of its closure.
    public var wait: LatencyDistribution
    /// The time from the start of the closure to the end of the access.
    public var service: LatencyDistribution

    /// Creates the latencies of an operation.
    ///
    /// By default, all distributions are empty.
    public init(
        name: String,
        response: LatencyDistribution = LatencyDistribution(),
        wait: LatencyDistribution = LatencyDistribution(),
        service: LatencyDistribution = LatencyDistribution()
    ) {
        self.name = name
        self.response = response
        self.wait = wait
        self.service = service
    }
}

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
