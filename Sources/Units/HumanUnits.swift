/// A formatter for numbers with units, as text of limited width.
///
/// Measured latencies and rates have three significant digits. Ages and sizes below 100 have one
/// decimal place. The strings contain only ASCII characters and `µ`, and are short enough to avoid
/// heap allocation.
package enum HumanUnits {
    /// The maximum width of a duration.
    package static let durationWidth = 7
    /// The maximum width of ``bytes(_:)``.
    package static let bytesWidth = 8
    /// The maximum width of ``rate(_:)``.
    package static let rateWidth = 8

    /// Formats a measured time, such as `412 ns`, `1.23 ms`, `12.3 s`, `2m 05s`, `3h 07m`, or
    /// `2d 04h`.
    package static func duration(nanoseconds: UInt64) -> String {
        let value = Double(nanoseconds)
        if value < 999.5 { return "\(nanoseconds) ns" }
        if value < 999.5e3 { return threeDigits(value / 1e3) + " µs" }
        if value < 999.5e6 { return threeDigits(value / 1e6) + " ms" }
        if value < 99.95e9 { return threeDigits(value / 1e9) + " s" }
        let seconds = nanoseconds / 1_000_000_000
        if seconds < 3_600 { return "\(seconds / 60)m \(twoDigits(seconds % 60))s" }
        let minutes = seconds / 60
        if minutes < 24 * 60 { return "\(minutes / 60)h \(twoDigits(minutes % 60))m" }
        let days = min(minutes / (24 * 60), 999)
        return days < 100 ? "\(days)d \(twoDigits(minutes / 60 % 24))h" : "\(days)d"
    }

    /// Formats an age or a total time, such as `82.0 µs`, `300 ms`, `1.2 s`, `2m 05s`, or `3h 07m`.
    package static func duration(seconds: Double) -> String {
        guard seconds.isFinite, seconds > 0 else { return "0 ms" }
        if seconds < 0.999_5e-3 { return oneDecimal(seconds * 1e6) + " µs" }
        if seconds < 0.999_5 { return oneDecimal(seconds * 1e3) + " ms" }
        return HumanUnits.seconds(seconds)
    }

    /// Formats a time in a run or a recording, such as `12.3 s` or `2m 05s`.
    package static func seconds(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds > 0 else { return "0.0 s" }
        if seconds < 99.95 { return decimal(seconds, places: 1) + " s" }
        return duration(nanoseconds: UInt64(min(seconds, 1e9) * 1e9))
    }

    /// Formats a round number of seconds, such as `30 s` or `5 min`.
    package static func secondsLabel(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds >= 0, seconds < 1e6 else { return "" }
        guard seconds == seconds.rounded() else { return HumanUnits.seconds(seconds) }
        let whole = Int(seconds)
        return whole >= 60 && whole.isMultiple(of: 60) ? "\(whole / 60) min" : "\(whole) s"
    }

    /// Formats a size, such as `512 B`, `4.0 KiB`, `38.1 MiB`, or `412 MiB`.
    package static func bytes(_ bytes: UInt64) -> String {
        if bytes < 1_000 { return "\(bytes) B" }
        var value = Double(bytes) / 1_024
        for unit in [" KiB", " MiB", " GiB", " TiB", " PiB"] {
            if value < 999.5 { return oneDecimal(value) + unit }
            value /= 1_024
        }
        return oneDecimal(value) + " EiB"
    }

    /// Formats a rate, such as `0/s`, `0.42/s`, `12.3/s`, `1,423/s`, or `123k/s`.
    package static func rate(_ perSecond: Double) -> String {
        guard perSecond.isFinite, perSecond > 0 else { return "0/s" }
        if perSecond < 99.95 { return threeDigits(perSecond) + "/s" }
        if perSecond < 99_999.5 { return grouped(UInt64(perSecond.rounded())) + "/s" }
        if perSecond < 999.5e3 { return threeDigits(perSecond / 1e3) + "k/s" }
        if perSecond < 999.5e6 { return threeDigits(perSecond / 1e6) + "M/s" }
        return threeDigits(min(perSecond / 1e9, 999)) + "G/s"
    }

    /// Formats a share from 0 to 1, such as `0%`, `0.4%`, `43%`, or `100%`.
    ///
    /// The maximum is `999%`.
    package static func percent(_ share: Double) -> String {
        guard share.isFinite, share > 0 else { return "0%" }
        let value = min(share * 100, 999)
        if value < 0.05 { return "0%" }
        if value < 9.95, value != value.rounded() { return decimal(value, places: 1) + "%" }
        return "\(Int(value.rounded()))%"
    }

    /// Formats a count, such as `1,423`, or, for a million or more, `1.42M`.
    package static func count(_ count: UInt64) -> String {
        if count < 1_000_000 { return grouped(count) }
        let value = Double(count)
        if value < 999.5e6 { return threeDigits(value / 1e6) + "M" }
        return threeDigits(min(value / 1e9, 99_999)) + "G"
    }

    /// Formats an exact count or a frame number, such as `1,423,007`.
    package static func exact(_ count: UInt64) -> String { grouped(count) }

    /// Formats an exact count followed by a noun, such as `1 frame` or `1,423 frames`.
    ///
    /// The noun must have a regular plural.
    package static func exact(_ count: UInt64, _ noun: String) -> String {
        "\(grouped(count)) \(noun)\(count == 1 ? "" : "s")"
    }

    /// Formats a number without a unit, such as `0.4`, `12`, or `1,423`.
    package static func number(_ value: Double) -> String {
        guard value.isFinite, value > 0 else { return "0" }
        guard value < 99.95, value != value.rounded() else {
            return grouped(UInt64(min(value, 1e18).rounded()))
        }
        return decimal(value, places: 1)
    }

    /// Formats a count followed by a noun, such as `1 reader` or `4 readers`.
    package static func counted(_ number: Int, _ singular: String, _ plural: String) -> String {
        "\(number) \(number == 1 ? singular : plural)"
    }

    /// Formats a number in 0..<1000 with three significant digits, such as `0.42`, `1.23`, `12.3`,
    /// or `123`.
    package static func threeDigits(_ value: Double) -> String {
        if value < 9.995 { return decimal(value, places: 2) }
        if value < 99.95 { return decimal(value, places: 1) }
        return whole(value)
    }

    /// Formats a number, such as `4.0`, `38.1`, or `412`.
    ///
    /// Numbers below 100 have one decimal place.
    private static func oneDecimal(_ value: Double) -> String {
        value < 99.95 ? decimal(value, places: 1) : whole(value)
    }

    /// The magnitude from which numbers are formatted with an exponent.
    private static let exponentLimit = 1e15

    /// Formats a number without decimal places, or with an exponent if the number is very large.
    ///
    /// Very large numbers can occur in results from other programs.
    private static func whole(_ value: Double) -> String {
        value.magnitude < exponentLimit ? "\(Int(value.rounded()))" : "\(value)"
    }

    /// Formats a nonnegative number with one or two decimal places.
    package static func decimal(_ value: Double, places: Int) -> String {
        guard value.magnitude < exponentLimit else { return "\(value)" }
        let scale = places == 1 ? 10.0 : 100.0
        let scaled = Int((value * scale).rounded())
        let whole = scaled / Int(scale)
        let rest = scaled % Int(scale)
        return places == 1 ? "\(whole).\(rest)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }

    private static func twoDigits(_ value: UInt64) -> String {
        value < 10 ? "0\(value)" : "\(value)"
    }

    /// Formats a whole number with commas, such as `1,423,007`.
    package static func grouped(_ value: UInt64) -> String {
        guard value >= 1_000 else { return "\(value)" }
        let rest = value % 1_000
        let padding = rest < 10 ? "00" : rest < 100 ? "0" : ""
        return "\(grouped(value / 1_000)),\(padding)\(rest)"
    }
}
