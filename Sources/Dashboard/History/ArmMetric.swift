import TerminalUI
import Text

/// A metric for the comparison of arms.
struct ArmMetric: Sendable, Hashable {
    enum Unit: Sendable {
        case rate
        /// A duration, in nanoseconds.
        case duration
        /// A share from 0 to 1.
        case share
        /// A number without a unit.
        case count
        case bytes
    }

    var title: String
    var meaning: String
    var unit: Unit

    /// The meaning of the median over all seconds.
    ///
    /// The median of maxima is not necessarily a whole number, so the text contains "median".
    var meaningOfMedian: String { unit == .count ? "median " + meaning : meaning }

    func text(_ value: Double) -> String {
        guard value.isFinite, value >= 0 else { return "–" }
        switch unit {
        case .rate: return HumanUnits.rate(value)
        case .duration: return HumanUnits.duration(nanoseconds: UInt64(min(value, 1e18)))
        case .share: return HumanUnits.percent(value)
        case .count:
            let tenths = Int((min(value, 1e9) * 10).rounded())
            return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
        case .bytes: return HumanUnits.bytes(UInt64(min(value, 1e18)))
        }
    }
}
