import Telemetry
import TerminalUI

/// The latencies that a row of a heat map covers, in words.
struct LatencyRange {
    /// The shortest latency, in nanoseconds.
    let low: UInt64
    /// The latency that is just too long, in nanoseconds; nil where every longer one belongs to it.
    let high: UInt64?

    /// The columns that ``text`` takes at most.
    static let width = 2 * HumanUnits.durationWidth + 1

    /// The latencies of some buckets of a ``LatencyDistribution``.
    init(buckets: Range<Int>) {
        low = LatencyDistribution.lowerBound(of: buckets.lowerBound)
        high =
            buckets.upperBound < LatencyDistribution.bucketCount
            ? LatencyDistribution.lowerBound(of: buckets.upperBound) : nil
    }

    /// `16.8–21.0 ms`, `786 µs–1.05 ms`: the unit once where both have it.
    var text: String {
        guard let high else { return beginning }
        let from = HumanUnits.duration(nanoseconds: low)
        let to = HumanUnits.duration(nanoseconds: high)
        guard let space = from.lastIndex(of: " "), let other = to.lastIndex(of: " "),
            from[space...] == to[other...]
        else { return "\(from)–\(to)" }
        return "\(from[..<space])–\(to)"
    }

    /// `≥16.8 ms`, where there is no room for more.
    var beginning: String { "≥" + HumanUnits.duration(nanoseconds: low) }
}
