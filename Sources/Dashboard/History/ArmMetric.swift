import TerminalUI

/// A metric for the comparison of arms.
struct ArmMetric: Sendable, Hashable {
    /// The unit of a metric.
    enum Unit: Sendable {
        /// Accesses per second.
        case rate
        /// Nanoseconds.
        case duration
        /// A share from 0 to 1.
        case share
        /// A number without a unit.
        case count
        /// Bytes.
        case bytes
    }

    var title: String
    /// What a value means.
    var meaning: String
    var unit: Unit

    /// Formats a value with its unit.
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
