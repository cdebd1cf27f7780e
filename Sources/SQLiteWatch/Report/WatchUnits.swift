/// Numbers with their units, as the report's sentences show them.
enum WatchUnits {
    /// A time.
    static func duration(_ seconds: Double) -> String {
        switch seconds {
        case ..<0.9995: "\(Int((seconds * 1000).rounded())) ms"
        case ..<99.95: decimal(seconds) + " s"
        case ..<5_970: decimal(seconds / 60) + " min"
        default: decimal(seconds / 3600) + " h"
        }
    }

    /// A size.
    static func bytes(_ bytes: UInt64) -> String {
        let value = Double(bytes)
        return switch value {
        case ..<1_024: "\(bytes) B"
        case ..<1_048_576: decimal(value / 1_024) + " KiB"
        case ..<1_073_741_824: decimal(value / 1_048_576) + " MiB"
        default: decimal(value / 1_073_741_824) + " GiB"
        }
    }

    /// A count, with a comma between thousands.
    static func count(_ count: UInt64) -> String {
        var text = ""
        for (index, digit) in String(count).reversed().enumerated() {
            if index > 0, index.isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }

    /// A count and its noun: `1 frame`, `2 frames`.
    static func count(_ count: UInt64, _ noun: String) -> String {
        "\(Self.count(count)) \(noun)\(count == 1 ? "" : "s")"
    }

    /// A share, from 0 to 1, in percent.
    static func percent(_ share: Double) -> String { decimal(share * 100) + " %" }

    /// A rate per second.
    static func rate(_ rate: Double) -> String {
        (rate < 100 ? decimal(rate) : count(UInt64(rate.rounded()))) + "/s"
    }

    /// A number that is not negative, with one digit after the point below 100.
    static func decimal(_ value: Double) -> String {
        guard value.isFinite, value > 0 else { return "0" }
        guard value < 99.95 else { return count(UInt64(min(value, 1e18).rounded())) }
        let tenths = UInt64((value * 10).rounded())
        return tenths.isMultiple(of: 10) ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
