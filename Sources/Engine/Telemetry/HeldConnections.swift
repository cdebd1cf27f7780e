/// A formatter for the mean numbers of connections that clients held simultaneously.
package enum HeldConnections {
    /// Formats numbers without letting their displayed sum exceed the number of connections.
    ///
    /// Numbers have one decimal place, or two if they are small. If rounding raises the sum above
    /// the number of connections, all numbers are rounded down to two decimal places.
    ///
    /// - Parameters:
    ///   - held: The mean number of connections that each client held.
    ///   - capacity: The number of connections, or `nil` if unknown.
    /// - Returns: The formatted numbers, in the order of `held`.
    package static func texts(_ held: [Double], of capacity: Int?) -> [String] {
        // Calculate in hundredths, because sums of decimal fractions are inexact in floating-point
        // arithmetic.
        let rounded = held.map { value -> Int in
            let value = min(max(value, 0), 1e6)
            return value < 0.095
                ? Int((value * 100).rounded()) : Int((value * 10).rounded()) * 10
        }
        let sum = rounded.reduce(0, +)
        guard let capacity, Double(sum) > Double(capacity) * 100 else {
            return zip(held, rounded).map { text($1, digits: $0 < 0.095 ? 2 : 1) }
        }
        return held.map { text(Int((min(max($0, 0), 1e6) * 100).rounded(.down)), digits: 2) }
    }

    private static func text(_ hundredths: Int, digits: Int) -> String {
        if digits == 1 { return "\(hundredths / 100).\(hundredths % 100 / 10)" }
        let fraction = hundredths % 100
        return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    }
}
