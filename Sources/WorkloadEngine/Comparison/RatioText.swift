import Foundation

/// A type that formats ratios for reports, such as `4.1×`, `1.08×`, and `12×`.
enum RatioText {
    /// Formats a ratio with enough decimals to show a small difference from 1.
    static func factor(_ ratio: Double) -> String { number(ratio, digits: digits(ratio)) + "×" }

    /// Formats the ends of an interval with the same number of decimals, such as `3.6–4.7`.
    static func range(_ low: Double, _ high: Double) -> String {
        var digits = digits(low)
        while digits < 4, number(low, digits: digits) == number(high, digits: digits),
            low != high
        {
            digits += 1
        }
        return "\(number(low, digits: digits))–\(number(high, digits: digits))"
    }

    static func change(_ ratio: Double, _ low: Double, _ high: Double) -> String {
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
        let factor = pow(10, Double(digits))
        let scaled = (value * factor).rounded()
        guard scaled < 1e15 else { return "∞" }
        let whole = ReportUnits.count(UInt64(scaled / factor))
        guard digits > 0 else { return whole }
        let fraction = String(UInt64(scaled) % UInt64(factor))
        return whole + "." + String(repeating: "0", count: digits - fraction.count) + fraction
    }
}
