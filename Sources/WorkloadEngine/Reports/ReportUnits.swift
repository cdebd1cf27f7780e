import Units

/// A type that formats numbers with units for reports, such as `1.25 ms`, `38 MiB`, and `1,234/s`.
///
/// The width of the text is not limited, unlike on screens (see ``HumanUnits``). Long times remain
/// in seconds, and counts have all digits.
enum ReportUnits {
    static func time(_ nanoseconds: UInt64) -> String {
        let value = Double(nanoseconds)
        return switch value {
        case ..<1_000: "\(nanoseconds) ns"
        case ..<999_500: HumanUnits.threeDigits(value / 1e3) + " µs"
        case ..<999_500_000: HumanUnits.threeDigits(value / 1e6) + " ms"
        default: HumanUnits.threeDigits(value / 1e9) + " s"
        }
    }

    static func time(_ nanoseconds: UInt64?) -> String {
        nanoseconds.map(time) ?? "–"
    }

    static func bytes(_ bytes: UInt64) -> String {
        let value = Double(bytes)
        return switch value {
        case ..<1024: "\(bytes) B"
        case ..<1_048_576: HumanUnits.threeDigits(value / 1024) + " KiB"
        case ..<1_073_741_824: HumanUnits.threeDigits(value / 1_048_576) + " MiB"
        default: HumanUnits.threeDigits(value / 1_073_741_824) + " GiB"
        }
    }

    static func rate(_ perSecond: Double) -> String {
        (perSecond < 100
            ? HumanUnits.threeDigits(max(0, perSecond))
            : perSecond < 1e18 ? count(UInt64(perSecond.rounded())) : "\(perSecond)") + "/s"
    }

    /// Formats a count with its noun, such as `1 read` or `6 reads`.
    static func counted(
        _ number: some BinaryInteger,
        _ singular: String,
        _ plural: String? = nil
    ) -> String {
        "\(number) " + (number == 1 ? singular : plural ?? singular + "s")
    }

    static func count(_ count: UInt64) -> String {
        HumanUnits.grouped(count)
    }

    static func percent(_ share: Double) -> String {
        HumanUnits.threeDigits(max(0, share) * 100) + "%"
    }

    static func fraction(_ ratio: Double) -> String {
        HumanUnits.decimal(max(0, ratio), places: 2)
    }

    static func seconds(_ seconds: Double) -> String {
        HumanUnits.decimal(max(0, seconds), places: seconds < 10 ? 2 : 1) + " s"
    }
}
