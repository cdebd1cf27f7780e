import Telemetry
import TerminalUI
import Text

/// The range of latencies in one row of a heat map.
struct BucketRange {
    /// The shortest latency, in nanoseconds.
    let low: UInt64
    /// The exclusive upper bound, in nanoseconds, or `nil` for no bound.
    let high: UInt64?

    static let width = 2 * HumanUnits.durationWidth + 1

    /// Creates the range that covers buckets of a ``LatencyDistribution``.
    init(buckets: Range<Int>) {
        low = LatencyDistribution.lowerBound(of: buckets.lowerBound)
        high =
            buckets.upperBound < LatencyDistribution.bucketCount
            ? LatencyDistribution.lowerBound(of: buckets.upperBound) : nil
    }

    /// The range, such as `16.8–21.0 ms` or `786 µs–1.05 ms`.
    ///
    /// A unit that both bounds share appears only once.
    var text: String {
        guard let high else { return lowerBoundText }
        let lowText = HumanUnits.duration(nanoseconds: low)
        let highText = HumanUnits.duration(nanoseconds: high)
        guard let space = lowText.lastIndex(of: " "), let highSpace = highText.lastIndex(of: " "),
            lowText[space...] == highText[highSpace...]
        else { return "\(lowText)–\(highText)" }
        return "\(lowText[..<space])–\(highText)"
    }

    /// The lower bound, such as `≥16.8 ms`, for narrow labels.
    var lowerBoundText: String { "≥" + HumanUnits.duration(nanoseconds: low) }
}
