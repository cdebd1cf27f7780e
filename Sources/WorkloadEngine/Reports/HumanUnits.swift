/// Formats numbers with units for reports, such as `1.25 ms`, `38 MiB`, and `1,234 /s`.
///
/// Measurements have three digits, which are enough for comparisons. The format does not depend
/// on the locale.
enum HumanUnits {
    static func time(_ nanoseconds: UInt64) -> String {
        let value = Double(nanoseconds)
        return switch value {
        case ..<1_000: "\(nanoseconds) ns"
        case ..<999_500: threeDigits(value / 1e3) + " µs"
        case ..<999_500_000: threeDigits(value / 1e6) + " ms"
        default: threeDigits(value / 1e9) + " s"
        }
    }

    static func time(_ nanoseconds: UInt64?) -> String {
        nanoseconds.map(time) ?? "–"
    }

    static func bytes(_ bytes: UInt64) -> String {
        let value = Double(bytes)
        return switch value {
        case ..<1024: "\(bytes) B"
        case ..<1_048_576: threeDigits(value / 1024) + " KiB"
        case ..<1_073_741_824: threeDigits(value / 1_048_576) + " MiB"
        default: threeDigits(value / 1_073_741_824) + " GiB"
        }
    }

    static func rate(_ perSecond: Double) -> String {
        (perSecond < 100 ? threeDigits(perSecond) : count(UInt64(perSecond.rounded()))) + " /s"
    }

    static func count(_ count: UInt64) -> String {
        var text = ""
        for (index, digit) in String(count).reversed().enumerated() {
            if index > 0, index.isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }

    static func percent(_ share: Double) -> String {
        threeDigits(share * 100) + "%"
    }

    static func fraction(_ ratio: Double) -> String { decimal(ratio, digits: 2) }

    static func seconds(_ seconds: Double) -> String {
        decimal(seconds, digits: seconds < 10 ? 2 : 1) + " s"
    }

    /// Formats a number with three digits, or without decimals from 100.
    private static func threeDigits(_ value: Double) -> String {
        switch value {
        case ..<9.995: decimal(value, digits: 2)
        case ..<99.95: decimal(value, digits: 1)
        default: decimal(value, digits: 0)
        }
    }

    private static func decimal(_ value: Double, digits: Int) -> String {
        var factor: UInt64 = 1
        for _ in 0..<digits { factor *= 10 }
        let scaled = UInt64((Swift.max(0, value) * Double(factor)).rounded())
        guard digits > 0 else { return String(scaled) }
        let fraction = String(scaled % factor)
        let zeros = String(repeating: "0", count: digits - fraction.count)
        return "\(scaled / factor).\(zeros)\(fraction)"
    }
}
