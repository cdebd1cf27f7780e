import Foundation

/// A distribution of integers with probabilities that decrease exponentially.
///
/// The distribution corresponds to pgbench's `random_exponential`
/// (<https://www.postgresql.org/docs/current/pgbench.html>). With n integers, the integer at offset
/// i has the probability (e^(−p·i/n) − e^(−p·(i+1)/n)) / (1 − e^−p). Integers are drawn by
/// inversion.
package struct TruncatedExponentialDistribution: Sendable, Equatable {
    private let scale: RangeScale
    private let parameter: Double
    /// The probability of the range in the exponential distribution, 1 − e^−parameter.
    private let mass: Double

    /// Creates the distribution over `range`.
    ///
    /// - Precondition: `parameter` is greater than 0.
    package init(_ range: ClosedRange<Int64>, parameter: Double) {
        precondition(parameter > 0 && parameter.isFinite, "the parameter must be above 0")
        scale = RangeScale(range)
        self.parameter = parameter
        mass = -expm1(-parameter)
    }

    /// Draws the next integer.
    package func next(using stream: inout RandomStream) -> Int64 {
        scale.integer(at: -log1p(-stream.nextUnit() * mass) / parameter)
    }
}
