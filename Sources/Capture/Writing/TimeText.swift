import Foundation

/// A type that formats quantities in the scenario language's syntax, with three significant digits.
enum TimeText {
    /// Formats a time in seconds, such as `1.25ms`.
    static func yaml(_ seconds: Double) -> String {
        let units = [("s", 1.0), ("ms", 1e-3), ("us", 1e-6)]
        // A time that rounds up to 1,000 of a unit is shown in the next larger unit.
        for (unit, size) in units where seconds >= 0.9995 * size {
            return number(seconds / size) + unit
        }
        return "\(Int((seconds * 1e9).rounded()))ns"
    }

    /// Formats a rate, such as `120/s`.
    static func rate(_ rate: Double) -> String { number(rate) + "/s" }

    /// Formats a share, such as `12.5%`.
    static func share(_ share: Double) -> String { number(share * 100) + "%" }

    /// Formats a number without an exponent.
    ///
    /// The result is an integer if the number is 100 or more, and has three significant digits
    /// otherwise.
    static func number(_ number: Double) -> String {
        guard number.isFinite, number > 0 else { return "0" }
        let digits = max(0, 2 - Int(log10(number).rounded(.down)))
        var text = String(format: "%.\(min(digits, 9))f", number)
        if text.contains(".") {
            while text.hasSuffix("0") { text.removeLast() }
            if text.hasSuffix(".") { text.removeLast() }
        }
        return text
    }
}
