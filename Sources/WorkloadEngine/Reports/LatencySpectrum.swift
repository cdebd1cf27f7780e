/// How a run's latencies are spread, small enough to travel in its result: counts in buckets of
/// sixteen to an octave, so that each latency is known within 6.25 %.
///
/// In JSON it is one text, such as `20000000:7 20971520:2`: the lower bound of each bucket in
/// nanoseconds and its count, in ascending order, empty buckets left out. A bucket reaches up to
/// the next number with five significant bits.
public struct LatencySpectrum: Sendable, Equatable {
    /// How many latencies lie between two bounds.
    public struct Bucket: Sendable, Equatable {
        /// The shortest latency that counts here, in nanoseconds.
        public var lower: UInt64
        /// How many there are.
        public var count: UInt64

        /// The shortest latency that no longer counts here, in nanoseconds.
        public var upper: UInt64 { lower &+ LatencySpectrum.width(at: lower) }
        /// The middle between its bounds, in nanoseconds.
        public var middle: Double { Double(lower) + Double(upper - lower - 1) / 2 }
    }

    /// The buckets that are not empty, in ascending order.
    public private(set) var buckets: [Bucket] = []

    /// Creates a spectrum of nothing.
    public init() {}

    /// The width of the bucket that a latency lies in.
    private static func width(at nanoseconds: UInt64) -> UInt64 {
        guard nanoseconds >= 16 else { return 1 }
        return 1 << UInt64(59 - nanoseconds.leadingZeroBitCount)
    }

    /// How many latencies there are.
    public var count: UInt64 { buckets.reduce(0) { $0 + $1.count } }

    /// The mean, in nanoseconds, as far as the buckets show it; nil of nothing.
    public var mean: Double? {
        let count = count
        guard count > 0 else { return nil }
        return buckets.reduce(0) { $0 + $1.middle * Double($1.count) } / Double(count)
    }

    /// Adds so many latencies of about this many nanoseconds.
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

    /// Adds another spectrum.
    public mutating func add(_ other: LatencySpectrum) {
        for bucket in other.buckets { add(bucket.lower, count: bucket.count) }
    }

    /// The latency, in nanoseconds, that a share of all latencies does not exceed; nil of nothing.
    ///
    /// - Parameter share: In 0…1.
    /// - Returns: The middle of the bucket in which it lies.
    public func value(at share: Double) -> Double? {
        let rank = share * Double(count)
        var below = 0.0
        for bucket in buckets {
            below += Double(bucket.count)
            if below >= rank - 1e-9 { return bucket.middle }
        }
        return buckets.last?.middle
    }
}

extension LatencySpectrum: Codable {
    /// Reads the text that ``encode(to:)`` writes.
    ///
    /// - Throws: `DecodingError` for anything else.
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
                    debugDescription: "'\(entry)' is no bucket such as 1024:5, in ascending order"
                )
            }
            buckets.append(Bucket(lower: lower, count: count))
        }
    }

    /// Writes one text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(
            buckets.map { "\($0.lower):\($0.count)" }.joined(separator: " ")
        )
    }
}

/// How the latencies of a client, or of one of its operations, are spread.
public struct LatencySpectra: Sendable, Codable, Equatable {
    /// From the intended start to the end, of completed accesses.
    public var response: LatencySpectrum
    /// From the start to the entry into the closure, of completed accesses.
    public var wait: LatencySpectrum
    /// From the entry to the end, of completed accesses.
    public var service: LatencySpectrum

    /// Creates spectra; all of them empty by default.
    public init(
        response: LatencySpectrum = LatencySpectrum(),
        wait: LatencySpectrum = LatencySpectrum(),
        service: LatencySpectrum = LatencySpectrum()
    ) {
        self.response = response
        self.wait = wait
        self.service = service
    }
}

extension LatencySpectra {
    /// The spectra of completed accesses; nil when there were none.
    init?(_ histograms: AccessHistograms) {
        guard histograms.response.count > 0 else { return nil }
        self.init(
            response: histograms.response.spectrum,
            wait: histograms.wait.spectrum,
            service: histograms.service.spectrum
        )
    }
}
