/// How many latencies fell into each of a fixed series of buckets: small enough to travel in a
/// sample, fine enough for a histogram and a heat map.
///
/// Buckets are log-linear, four to an octave, from 128 ns on: a value is known within 25 %. Bucket
/// 0 holds what is shorter, the last one what takes nine minutes or more. Buckets at both ends that
/// hold nothing are left out.
public struct LatencyDistribution: Sendable, Codable, Equatable {
    /// How many buckets there are.
    public static let bucketCount = 129

    /// The bucket of ``counts``' first element.
    public private(set) var firstBucket: Int
    /// How many latencies fell into each bucket, from ``firstBucket`` on.
    public private(set) var counts: [UInt32]

    /// Creates an empty distribution.
    public init() {
        firstBucket = 0
        counts = []
    }

    /// How many latencies there are.
    public var count: UInt64 { counts.reduce(0) { $0 + UInt64($1) } }

    /// The bucket of a latency in nanoseconds.
    public static func bucket(of nanoseconds: UInt64) -> Int {
        guard nanoseconds >= 128 else { return 0 }
        let exponent = 63 - nanoseconds.leadingZeroBitCount
        let quarter = Int((nanoseconds >> UInt64(exponent - 2)) & 3)
        return min(1 + (exponent - 7) * 4 + quarter, bucketCount - 1)
    }

    /// The shortest latency of a bucket, in nanoseconds; that of the bucket after it bounds it.
    public static func lowerBound(of bucket: Int) -> UInt64 {
        guard bucket > 0 else { return 0 }
        let step = min(bucket, bucketCount) - 1
        return UInt64(4 + step % 4) << UInt64(step / 4 + 5)
    }

    /// How many latencies fell into a bucket.
    public subscript(bucket: Int) -> UInt32 {
        let index = bucket - firstBucket
        return counts.indices.contains(index) ? counts[index] : 0
    }

    /// Adds so many latencies of about this many nanoseconds.
    public mutating func add(_ nanoseconds: UInt64, count: UInt64 = 1) {
        add(bucket: Self.bucket(of: nanoseconds), count: count)
    }

    /// Adds another distribution.
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

/// The latencies of one operation of a client over about a second, measured or not.
public struct OperationLatencies: Sendable, Codable, Equatable {
    /// The operation's name in the scenario.
    public var name: String
    /// From the intended start to the end.
    public var response: LatencyDistribution
    /// From the start to the entry into the closure.
    public var wait: LatencyDistribution
    /// From the entry to the end.
    public var service: LatencyDistribution

    /// Creates the latencies of an operation; none by default.
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
