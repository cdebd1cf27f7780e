import Telemetry
import Text

/// The distribution of latencies in a compact form for results.
///
/// The spectrum has sixteen buckets per octave, so the width of a bucket is at most 6.25% of each
/// latency in the bucket.
///
/// In JSON, the spectrum is a string of pairs such as `20000000:7 20971520:2`. Each pair contains
/// a bucket's lower bound, in nanoseconds, and the bucket's count. The pairs are in ascending
/// order and omit empty buckets. A bucket extends to the next larger number with five significant
/// bits.
public struct LatencySpectrum: Sendable, Equatable {
    /// The number of latencies between two bounds.
    public struct Bucket: Sendable, Equatable {
        /// The inclusive lower bound, in nanoseconds.
        public var lower: UInt64
        /// The number of latencies in the bucket.
        public var count: UInt64

        /// The exclusive upper bound, in nanoseconds.
        public var upper: UInt64 { lower &+ LatencySpectrum.width(at: lower) }
        /// The midpoint between the bounds, in nanoseconds.
        public var middle: Double { Double(lower) + Double(upper - lower - 1) / 2 }
    }

    /// The nonempty buckets, in ascending order.
    public private(set) var buckets: [Bucket] = []

    /// Creates an empty spectrum.
    public init() {}

    private static func width(at nanoseconds: UInt64) -> UInt64 {
        guard nanoseconds >= 16 else { return 1 }
        return 1 << UInt64(59 - nanoseconds.leadingZeroBitCount)
    }

    /// The number of latencies.
    public var count: UInt64 { buckets.reduce(0) { $0 + $1.count } }

    /// The approximate mean, in nanoseconds, or `nil` if the spectrum is empty.
    public var mean: Double? {
        let count = count
        guard count > 0 else { return nil }
        return buckets.reduce(0) { $0 + $1.middle * Double($1.count) } / Double(count)
    }

    /// The approximate variance, in square nanoseconds, or 0 if the spectrum is empty.
    package var variance: Double {
        guard let mean else { return 0 }
        let squares = buckets.reduce(0) {
            let distance = $1.middle - mean
            return $0 + distance * distance * Double($1.count)
        }
        return squares / Double(count)
    }

    /// Adds `count` latencies of the given number of nanoseconds.
    public mutating func add(_ nanoseconds: UInt64, count: UInt64 = 1) {
        guard count > 0 else { return }
        let lower = nanoseconds & ~(Self.width(at: nanoseconds) - 1)
        var index = buckets.endIndex
        while index > 0, buckets[index - 1].lower >= lower { index -= 1 }
        if index < buckets.endIndex, buckets[index].lower == lower {
            buckets[index].count += count
        } else {
            buckets.insert(Bucket(lower: lower, count: count), at: index)
        }
    }

    /// Adds the latencies of another spectrum.
    public mutating func add(_ other: LatencySpectrum) {
        for bucket in other.buckets { add(bucket.lower, count: bucket.count) }
    }

    /// Returns a latency that the given share of all latencies does not exceed, in nanoseconds.
    ///
    /// - Parameter share: The share of all latencies, from 0 to 1.
    /// - Returns: The midpoint of the latency's bucket, or `nil` if the spectrum is empty.
    public func value(at share: Double) -> Double? {
        Percentile.place(of: share * 100, in: buckets.map(\.count))
            .map { buckets[$0.bucket].middle }
    }
}

extension LatencySpectrum: Codable {
    /// Decodes a string that ``encode(to:)`` produced.
    ///
    /// - Throws: `DecodingError` if the string is invalid.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        for entry in text.split(separator: " ") {
            let parts = entry.split(separator: ":")
            guard parts.count == 2, let lower = UInt64(parts[0]), let count = UInt64(parts[1]),
                lower < 1 << 62, count > 0, lower & (Self.width(at: lower) - 1) == 0,
                lower > buckets.last?.lower ?? 0 || buckets.isEmpty
            else {
                throw DecodingError.dataCorruptedError(
                    in: container,
                    debugDescription: "'\(entry)' is not an ascending bucket, such as 1024:5"
                )
            }
            buckets.append(Bucket(lower: lower, count: count))
        }
    }

    /// Encodes the spectrum as a string of buckets.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(
            buckets.map { "\($0.lower):\($0.count)" }.joined(separator: " ")
        )
    }
}

/// The latency distributions of a client or an operation.
public struct LatencySpectra: Sendable, Codable, Equatable {
    /// The response times of completed accesses, from intended start to end.
    public var response = LatencySpectrum()
    /// The wait times of completed accesses, from access start to closure start.
    public var wait = LatencySpectrum()
    /// The service times of completed accesses, from closure start to access end.
    public var service = LatencySpectrum()
}
