import Foundation

/// A distribution of ranks 1...n in which the probability of rank k is proportional to k^−theta.
///
/// The algorithm is rejection-inversion (Hörmann and Derflinger, "Rejection-inversion to generate
/// variates from monotone discrete distributions", ACM TOMACS 6, 1996). The algorithm is exact. It
/// needs constant time and memory for any n and any theta above 0, including 1. `H` is the integral
/// of the density `h`. The inverse of `H` maps a uniform number to a candidate that is nearly
/// always accepted.
package struct ZipfianDistribution: Sendable, Equatable {
    /// The maximum number of ranks, up to which `Double` represents every integer and half-integer.
    static let mostRanks: Int64 = 1 << 52

    private let theta: Double
    private let count: Double
    /// H(3/2) − h(1), the start of the first rank's interval.
    private let lower: Double
    /// H(n + 1/2).
    private let upper: Double
    /// The distance below a rank within which candidates are accepted without computing the
    /// density.
    private let squeeze: Double

    /// Creates a distribution of ranks 1...count.
    ///
    /// - Precondition: `count` is in 1...2⁵² and `theta` is greater than 0.
    package init(count: Int64, theta: Double) {
        precondition((1...Self.mostRanks).contains(count), "there must be 1 to 2^52 ranks")
        precondition(theta > 0 && theta.isFinite, "theta must be above 0")
        self.theta = theta
        self.count = Double(count)
        lower = Self.integral(1.5, theta) - 1
        upper = Self.integral(Double(count) + 0.5, theta)
        squeeze =
            2 - Self.inverseIntegral(Self.integral(2.5, theta) - Self.density(2, theta), theta)
    }

    /// Draws the next rank.
    package func next(using stream: inout RandomStream) -> Int64 {
        while true {
            let area = upper + stream.nextUnit() * (lower - upper)
            let x = Self.inverseIntegral(area, theta)
            // Rounding can produce a result beyond either end of the range.
            let rank = min(max((x + 0.5).rounded(.down), 1), count)
            if rank - x <= squeeze
                || area >= Self.integral(rank + 0.5, theta) - Self.density(rank, theta)
            {
                return Int64(rank)
            }
        }
    }

    /// h(x) = x^−theta.
    private static func density(_ x: Double, _ theta: Double) -> Double { exp(-theta * log(x)) }

    /// H(x) = (x^(1−theta) − 1) / (1 − theta), or log x for theta = 1.
    private static func integral(_ x: Double, _ theta: Double) -> Double {
        let logarithm = log(x)
        let exponent = (1 - theta) * logarithm
        return logarithm * (abs(exponent) > 1e-8 ? expm1(exponent) / exponent : 1 + exponent / 2)
    }

    private static func inverseIntegral(_ area: Double, _ theta: Double) -> Double {
        let scaled = max(area * (1 - theta), -1)
        return exp(area * (abs(scaled) > 1e-8 ? log1p(scaled) / scaled : 1 - scaled / 2))
    }
}
