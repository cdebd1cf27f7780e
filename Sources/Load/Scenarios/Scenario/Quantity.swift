import Text

/// A type that parses quantities with units, such as `50ms`, `200/s`, `64MiB`, or `40%`.
public enum Quantity {
    /// The error for text that is not a quantity of the expected kind.
    public struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// The text, the problem, and the expected form.
        public var description: String
    }

    private static let timeUnits: [(String, Double)] = [
        ("ns", 1), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 60e9), ("h", 3600e9),
    ]
    private static let rateUnits: [(String, Double)] = [
        ("/s", 1), ("/m", 1 / 60.0), ("/h", 1 / 3600.0),
    ]
    private static let sizeUnits: [(String, Double)] = [
        ("B", 1), ("KiB", 1024), ("MiB", 1_048_576), ("GiB", 1_073_741_824),
        ("KB", 1e3), ("MB", 1e6), ("GB", 1e9),
    ]

    /// The longest time in a scenario: 366 days.
    static let longestDuration = Duration.seconds(366 * 86_400)

    /// Parses a time of up to a year, such as `50ms`, `30s`, `2m`, `4m30s`, or `200us`.
    ///
    /// - Throws: ``Failure`` if the text is not a time.
    public static func duration(_ text: String) throws -> Duration {
        let parts = parts(of: text)
        if parts.count > 1,
            let sum = try? parts.reduce(Duration.zero, { try $0 + duration($1) })
        {
            return min(sum, longestDuration)
        }
        let nanoseconds = try value(
            text,
            units: timeUnits,
            kind: "a time",
            examples: "50ms, 30s, or 2m",
            limit: Double(longestDuration.wholeNanoseconds),
            limitText: "8784h, a year"
        )
        return .nanoseconds(Int64(nanoseconds.rounded()))
    }

    /// Divides a text such as `4m30s` before each digit that follows a letter.
    private static func parts(of text: String) -> [String] {
        var parts: [String] = [""]
        for character in text {
            let isStart = character.isNumber && parts[parts.count - 1].last?.isLetter == true
            if isStart { parts.append("") }
            parts[parts.count - 1].append(character)
        }
        return parts
    }

    /// Parses a rate, such as `200/s`, and returns the number per second.
    ///
    /// - Throws: ``Failure`` if the text is not a rate.
    public static func rate(_ text: String) throws -> Double {
        try value(
            text,
            units: rateUnits,
            kind: "a rate",
            examples: "200/s or 0.5/s",
            limit: 1e9,
            limitText: "1000000000/s"
        )
    }

    /// Parses a size, such as `64MiB`, and returns the number of bytes.
    ///
    /// - Throws: ``Failure`` if the text is not a size.
    public static func bytes(_ text: String) throws -> Double {
        try value(
            text,
            units: sizeUnits,
            kind: "a size",
            examples: "64MiB or 512KiB",
            limit: 1e18,
            limitText: "1000000000GB"
        )
    }

    /// Parses a percentage, such as `40%`, and returns a share from 0 to 1.
    ///
    /// - Throws: ``Failure`` if the text is not a percentage.
    public static func share(_ text: String) throws -> Double {
        try value(
            text,
            units: [("%", 0.01)],
            kind: "a share",
            examples: "40%",
            limit: 1,
            limitText: "100%"
        )
    }

    /// Parses a time or a share of the measured time, such as `5s` or `40%`.
    ///
    /// - Throws: ``Failure`` if the text is neither.
    public static func span(_ text: String) throws -> TimeSpan {
        if text.hasSuffix("%") { return .share(try share(text)) }
        return .absolute(try duration(text))
    }

    /// Returns a time as text that ``duration(_:)`` parses, such as `1.5s`.
    static func text(_ duration: Duration) -> String {
        let milliseconds = duration.inSeconds * 1000
        return milliseconds < 1000
            ? ReportUnits.unitless(milliseconds) + "ms"
            : ReportUnits.unitless(milliseconds / 1000) + "s"
    }

    /// Returns a time as text that ``duration(_:)`` parses to the same nanosecond, such as `12.3ms`.
    static func exactText(_ duration: Duration) -> String {
        let nanoseconds = duration.wholeNanoseconds
        for (unit, size, digits) in [
            ("s", 1_000_000_000, 3), ("ms", 1_000_000, 3), ("us", 1_000, 3),
        ]
            as [(String, UInt64, Int)] where nanoseconds >= size
        {
            let text = ReportUnits.withoutExponent(
                (Double(nanoseconds) / Double(size)).rounded(toDigits: digits)
            )
            if (try? Self.duration(text + unit)) == .nanoseconds(Int64(clamping: nanoseconds)) {
                return text + unit
            }
        }
        return "\(nanoseconds)ns"
    }

    /// Returns a share from 0 to 1 as text that ``share(_:)`` parses to the same number.
    static func exactText(share: Double) -> String {
        for digits in 0...12 {
            let text = ReportUnits.withoutExponent((share * 100).rounded(toDigits: digits)) + "%"
            if (try? Self.share(text)) == share { return text }
        }
        return ReportUnits.withoutExponent(share * 100) + "%"
    }

    private static func value(
        _ text: String,
        units: [(String, Double)],
        kind: String,
        examples: String,
        limit: Double,
        limitText: String
    ) throws -> Double {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }
        guard let number = Double(digits) else {
            let isNegative = text.hasPrefix("-") && text.dropFirst().first?.isNumber == true
            throw Failure(
                description: "'\(text)' is \(isNegative ? "negative" : "not \(kind)"); "
                    + "write \(kind) such as \(examples)"
            )
        }
        guard let factor = units.first(where: { $0.0 == unit })?.1 else {
            let names = units.map(\.0)
            throw Failure(
                description: unit.isEmpty
                    ? "'\(text)' has no unit; write \(kind) such as \(examples)"
                    : "'\(unit)' in '\(text)' is not a unit of \(kind.dropFirst(2))"
                        + NearestName.hint(String(unit), among: names)
            )
        }
        let result = number * factor
        guard result <= limit else {
            throw Failure(
                description: "'\(text)' is too large; the maximum is \(limitText)"
            )
        }
        return result
    }
}

extension Duration {
    package var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : whole &+ UInt64(attoseconds / 1_000_000_000)
    }

    package var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }

    /// The length in nanoseconds, truncated to a whole number.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
