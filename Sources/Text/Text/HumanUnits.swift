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
        if perSecond < 99_999.5 { return exact(UInt64(perSecond.rounded())) + "/s" }
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
        if count < 1_000_000 { return exact(count) }
        let value = Double(count)
        if value < 999.5e6 { return threeDigits(value / 1e6) + "M" }
        return threeDigits(min(value / 1e9, 99_999)) + "G"
    }

    /// Formats an exact count or a frame number, such as `1,423,007`.
    package static func exact(_ count: some BinaryInteger) -> String {
        if count < 0 { return "-" + exact(count.magnitude) }
        guard count >= 1_000 else { return "\(count)" }
        let rest = count % 1_000
        let padding = rest < 10 ? "00" : rest < 100 ? "0" : ""
        return "\(exact(count / 1_000)),\(padding)\(rest)"
    }

    /// Formats an exact count followed by a noun, such as `1 frame` or `1,423 frames`.
    ///
    /// The noun must have a regular plural.
    package static func exact(_ count: some BinaryInteger, _ noun: String) -> String {
        "\(exact(count)) \(noun)\(count == 1 ? "" : "s")"
    }

    /// Formats a number without a unit, such as `0.4`, `12`, or `1,423`.
    package static func number(_ value: Double) -> String {
        guard value.isFinite, value > 0 else { return "0" }
        guard value < 99.95, value != value.rounded() else {
            return exact(UInt64(min(value, 1e18).rounded()))
        }
        return decimal(value, places: 1)
    }

    /// Formats a count without commas followed by a noun, such as `1 reader` or `4 readers`.
    ///
    /// The noun has a regular plural if `plural` is `nil`.
    package static func counted(
        _ number: some BinaryInteger,
        _ singular: String,
        _ plural: String? = nil
    ) -> String {
        "\(number) " + (number == 1 ? singular : plural ?? singular + "s")
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
}

/// A formatter for numbers with units in reports, such as `1.25 ms`, `38.0 MiB`, and `1,234/s`.
///
/// The width of the text is not limited, unlike on screens (see ``HumanUnits``). Long times remain
/// in seconds, and counts have all digits (``HumanUnits/exact(_:)``).
package enum ReportUnits {
    package static func time(_ nanoseconds: UInt64) -> String {
        let value = Double(nanoseconds)
        return value < 999.5e6
            ? HumanUnits.duration(nanoseconds: nanoseconds)
            : HumanUnits.threeDigits(value / 1e9) + " s"
    }

    package static func time(_ nanoseconds: UInt64?) -> String { nanoseconds.map(time) ?? "–" }

    package static func bytes(_ bytes: UInt64) -> String {
        let value = Double(bytes)
        return switch value {
        case ..<1024: "\(bytes) B"
        case ..<1_048_576: HumanUnits.threeDigits(value / 1024) + " KiB"
        case ..<1_073_741_824: HumanUnits.threeDigits(value / 1_048_576) + " MiB"
        default: HumanUnits.threeDigits(value / 1_073_741_824) + " GiB"
        }
    }

    package static func rate(_ perSecond: Double) -> String {
        (perSecond < 100
            ? HumanUnits.threeDigits(max(0, perSecond))
            : perSecond < 1e18 ? HumanUnits.exact(UInt64(perSecond.rounded())) : "\(perSecond)")
            + "/s"
    }

    /// Formats a share from 0 to 1 as a percentage with three digits.
    package static func percent(_ share: Double) -> String {
        HumanUnits.threeDigits(max(0, share) * 100) + "%"
    }

    /// Formats a number with two decimal places.
    package static func fraction(_ ratio: Double) -> String {
        HumanUnits.decimal(max(0, ratio), places: 2)
    }

    package static func seconds(_ seconds: Double) -> String {
        HumanUnits.decimal(max(0, seconds), places: seconds < 10 ? 2 : 1) + " s"
    }

    /// Formats a number with at most four decimal places, such as `0.05` or `200`.
    package static func unitless(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15
            ? String(Int64(value)) : String(value.rounded(toDigits: 4))
    }

    // MARK: Quantities of the scenario language

    /// Formats a time in seconds as the scenario language does, such as `1.25ms`.
    package static func compactTime(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds > 0 else { return "0ns" }
        // A time that rounds up to 1,000 of a unit is shown in the next larger unit.
        for (unit, size) in [("s", 1.0), ("ms", 1e-3), ("us", 1e-6)] where seconds >= 0.9995 * size
        {
            return compact(seconds / size) + unit
        }
        return "\(Int((seconds * 1e9).rounded()))ns"
    }

    /// Formats a rate, such as `120/s`.
    package static func compactRate(_ rate: Double) -> String { compact(rate) + "/s" }

    /// Formats a share from 0 to 1, such as `12.5%`.
    package static func compactShare(_ share: Double) -> String { compact(share * 100) + "%" }

    /// Formats a number as an integer if it is 100 or more, and with up to three significant digits
    /// otherwise.
    package static func compact(_ number: Double) -> String {
        guard number.isFinite, number > 0 else { return "0" }
        var digits = 2
        var scaled = number
        while scaled < 1, digits < 9 {
            scaled *= 10
            digits += 1
        }
        while scaled >= 10, digits > 0 {
            scaled /= 10
            digits -= 1
        }
        return withoutExponent(number.rounded(toDigits: digits))
    }

    /// Formats a finite number, at least 0, with all digits and without an exponent.
    package static func withoutExponent(_ number: Double) -> String {
        if let whole = Int64(exactly: number) { return String(whole) }
        let parts = "\(number)".split(separator: "e")
        guard parts.count == 2, let exponent = Int(parts[1]) else { return "\(number)" }
        let digits = parts[0].filter { $0 != "." }
        let point = (parts[0].firstIndex(of: ".").map { parts[0][..<$0].count } ?? 1) + exponent
        if point <= 0 { return "0." + String(repeating: "0", count: -point) + digits }
        return digits + String(repeating: "0", count: max(0, point - digits.count))
    }

    // MARK: Ratios

    /// Formats a ratio with enough decimals to show a small difference from 1, such as `4.1×`,
    /// `1.08×`, or `12×`.
    package static func factor(_ ratio: Double) -> String {
        number(ratio, digits: digits(ratio)) + "×"
    }

    /// Formats the ends of an interval with the same number of decimals, such as `3.6–4.7`.
    package static func range(_ low: Double, _ high: Double) -> String {
        var digits = digits(low)
        while digits < 4, number(low, digits: digits) == number(high, digits: digits),
            low != high
        {
            digits += 1
        }
        return "\(number(low, digits: digits))–\(number(high, digits: digits))"
    }

    /// Formats a ratio with its interval, such as `4.1× lower (3.6–4.7)`.
    package static func change(_ ratio: Double, _ low: Double, _ high: Double) -> String {
        ratio < 1
            ? "\(factor(1 / ratio)) lower (\(range(1 / high, 1 / low)))"
            : "\(factor(ratio)) higher (\(range(low, high)))"
    }

    private static func digits(_ ratio: Double) -> Int {
        switch ratio {
        case ..<0.095: 3
        case ..<1.095: 2
        case ..<9.95: 1
        default: 0
        }
    }

    private static func number(_ value: Double, digits: Int) -> String {
        guard value.isFinite else { return "∞" }
        let factor = (0..<digits).reduce(1.0) { result, _ in result * 10 }
        let scaled = (value * factor).rounded()
        guard scaled < 1e15 else { return "∞" }
        let whole = HumanUnits.exact(UInt64(scaled / factor))
        guard digits > 0 else { return whole }
        let fraction = String(UInt64(scaled) % UInt64(factor))
        return whole + "." + String(repeating: "0", count: digits - fraction.count) + fraction
    }

    // MARK: Ticks of charts

    /// Formats a round time without trailing zeros, such as `10 ms`.
    package static func roundTime(_ nanoseconds: Double) -> String {
        switch nanoseconds {
        case ..<1e3: plain(nanoseconds) + " ns"
        case ..<1e6: plain(nanoseconds / 1e3) + " µs"
        case ..<1e9: plain(nanoseconds / 1e6) + " ms"
        default: plain(nanoseconds / 1e9) + " s"
        }
    }

    package static func roundBytes(_ bytes: Double) -> String {
        var value = bytes
        for unit in ["B", "KiB", "MiB"] {
            if value < 1024 { return "\(plain(value)) \(unit)" }
            value /= 1024
        }
        return "\(plain(value)) GiB"
    }

    package static func plain(_ value: Double) -> String {
        let rounded = value.rounded(toDigits: 3)
        guard rounded != rounded.rounded() else { return String(Int(rounded)) }
        return String(rounded)
    }

    package static func roundRatio(_ value: Double) -> String {
        let digits = value < 0.1 ? 4 : value < 10 ? 2 : value < 100 ? 1 : 0
        let rounded = value.rounded(toDigits: digits)
        return (rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)) + "×"
    }
}

extension UInt64 {
    /// Creates the nearest integer from 0 to 10^18 that is not larger, or 0 for NaN.
    ///
    /// Recordings and other programs can contain any numbers.
    package init(bounded value: Double) { self = value > 0 ? UInt64(Swift.min(value, 1e18)) : 0 }
}

extension Double {
    package func rounded(toDigits digits: Int) -> Double {
        var factor = 1.0
        for _ in 0..<digits { factor *= 10 }
        return (self * factor).rounded() / factor
    }
}
