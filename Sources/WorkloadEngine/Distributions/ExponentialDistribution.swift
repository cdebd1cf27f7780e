import Foundation

/// A distribution of the gaps between independent arrivals (a Poisson process).
package struct ExponentialDistribution: Sendable, Equatable {
    private let mean: Double

    /// Creates a distribution for `rate` arrivals per second.
    ///
    /// - Precondition: `rate` is greater than 0.
    package init(rate: Double) {
        precondition(rate > 0, "the rate must be above 0")
        mean = 1 / rate
    }

    /// Draws the next gap, in seconds, by inversion: −log(1 − u) / rate.
    package func next(using stream: inout RandomStream) -> Double {
        -log1p(-stream.nextUnit()) * mean
    }
}
