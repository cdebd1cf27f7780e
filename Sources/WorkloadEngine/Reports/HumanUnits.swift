/// Numbers with the units that people read: `1.25 ms`, `38 MiB`, `1,234 /s`.
///
/// Three digits are enough to compare, and no locale changes them.
enum HumanUnits {
    /// A time, from nanoseconds.
    static func time(_ nanoseconds: UInt64) -> String {
        let value = Double(nanoseconds)
        return switch value {
        case ..<1_000: "\(nanoseconds) ns"
        case ..<999_500: threeDigits(value / 1e3) + " µs"
        case ..<999_500_000: threeDigits(value / 1e6) + " ms"
        default: threeDigits(value / 1e9) + " s"
        }
    }

    /// A time that may not be known: "–" when it is not.
    static func time(_ nanoseconds: UInt64?) -> String {
        nanoseconds.map(time) ?? "–"
    }

    /// A size in bytes.
    static func bytes(_ bytes: UInt64) -> String {
        let value = Double(bytes)
        return switch value {
        case ..<1024: "\(bytes) B"
        case ..<1_048_576: threeDigits(value / 1024) + " KiB"
        case ..<1_073_741_824: threeDigits(value / 1_048_576) + " MiB"
        default: threeDigits(value / 1_073_741_824) + " GiB"
        }
    }

    /// A rate in accesses per second.
    static func rate(_ perSecond: Double) -> String {
        (perSecond < 100 ? threeDigits(perSecond) : count(UInt64(perSecond.rounded()))) + " /s"
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

    /// A share, from 0…1.
    static func percent(_ share: Double) -> String {
        threeDigits(share * 100) + " %"
    }

    /// A mean of whole things, such as readers: one digit after the point.
    static func mean(_ value: Double) -> String {
        decimal(value, digits: value < 0.1 ? 2 : 1)
    }

    /// Seconds.
    static func seconds(_ seconds: Double) -> String {
        decimal(seconds, digits: seconds < 10 ? 2 : 1) + " s"
    }

    /// A number with three digits that count; whole from 100 on.
    private static func threeDigits(_ value: Double) -> String {
        switch value {
        case ..<9.995: decimal(value, digits: 2)
        case ..<99.95: decimal(value, digits: 1)
        default: decimal(value, digits: 0)
        }
    }

    /// A number with so many digits after the point, and no more zeros than needed before it.
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
