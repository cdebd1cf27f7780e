import TerminalUI

/// Something that arms are compared by.
struct ArmMetric: Sendable, Hashable {
    /// What its numbers are.
    enum Unit: Sendable {
        /// Accesses/s.
        case rate
        /// Nanoseconds.
        case duration
        /// A share in 0…1.
        case share
        /// A number of things.
        case count
        /// Bytes.
        case bytes
    }

    /// What it is called.
    var title: String
    /// What one value of it is.
    var meaning: String
    /// What its numbers are.
    var unit: Unit

    /// A value with its unit.
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
