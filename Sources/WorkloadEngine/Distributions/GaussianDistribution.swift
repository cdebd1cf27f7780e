import Foundation

/// A normal distribution of integers around the middle of a range, truncated at both ends.
///
/// The distribution corresponds to pgbench's `random_gaussian`
/// (<https://www.postgresql.org/docs/current/pgbench.html>). The range extends `parameter` standard
/// deviations from the middle to each end. The Box–Muller transform ("A Note on the Generation of
/// Random Normal Deviates", Annals of Mathematical Statistics 29, 1958) produces the normal
/// numbers. Numbers outside the range are drawn again.
package struct GaussianDistribution: Sendable, Equatable {
    /// The minimum parameter, for which 4.6% of the draws are repeated.
    package static let leastParameter = 2.0

    private let scale: RangeScale
    private let parameter: Double

    /// Creates the distribution over `range`.
    ///
    /// - Precondition: `parameter` is at least ``leastParameter``.
    package init(_ range: ClosedRange<Int64>, parameter: Double) {
        precondition(parameter >= Self.leastParameter, "the parameter must be at least 2")
        scale = RangeScale(range)
        self.parameter = parameter
    }

    /// Draws the next integer.
    package func next(using stream: inout RandomStream) -> Int64 {
        while true {
            let radius = (-2 * log1p(-stream.nextUnit())).squareRoot()
            let normal = radius * sin(2 * .pi * stream.nextUnit())
            guard normal >= -parameter, normal < parameter else { continue }
            return scale.integer(at: (normal + parameter) / (2 * parameter))
        }
    }
}
