/// A client's response times by percentile, for a chart with an expanded tail.
public struct PercentileCurve: Sendable, Codable, Equatable {
    /// The number of response times.
    public var count: UInt64
    /// The longest response time, in nanoseconds.
    public var max: UInt64
    /// The points in ascending order, up to the last point that ten response times exceed.
    public var points: [Point]

    /// A response time that `percentile` percent of the accesses do not exceed.
    public struct Point: Sendable, Codable, Equatable {
        /// The percentile, from 0 to 100.
        public var percentile: Double
        /// The response time at the percentile, in nanoseconds.
        public var nanoseconds: UInt64
    }
}

extension PercentileCurve {
    /// The number of points in each half of the remaining share.
    private static let ticks = 5

    init?(_ histogram: LatencyHistogram) {
        guard histogram.count > 0 else { return nil }
        count = histogram.count
        max = histogram.maximum
        points = []
        // Repeatedly divide the lower half of the remaining share evenly: 0, 10 … 50, 55 … 75,
        // 77.5 … 87.5 …
        var start = 0.0
        var rest = 100.0
        while let value = histogram.value(at: start) {
            for tick in 0..<Self.ticks {
                let percentile = start + rest / 2 * Double(tick) / Double(Self.ticks)
                guard let point = tick == 0 ? value : histogram.value(at: percentile) else {
                    return
                }
                points.append(Point(percentile: percentile, nanoseconds: point))
            }
            start += rest / 2
            rest /= 2
        }
    }
}

/// The former name of ``PercentileCurve``.
@available(*, deprecated, renamed: "PercentileCurve")
public typealias PercentileSpectrum = PercentileCurve
