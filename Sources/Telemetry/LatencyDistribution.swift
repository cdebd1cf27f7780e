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
