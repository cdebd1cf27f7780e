import Foundation
import Scenarios

/// A distribution of ranks 1...n in which the probability of rank k is proportional to k^−theta.
///
/// The algorithm is rejection-inversion (Hörmann and Derflinger, "Rejection-inversion to generate
/// variates from monotone discrete distributions", ACM TOMACS 6, 1996). The algorithm is exact. It
/// needs constant time and memory for any n and any theta above 0, including 1. `H` is the integral
/// of the density `h`. The inverse of `H` maps a uniform number to a candidate that is nearly
/// always accepted.
package struct ZipfianDistribution: Sendable, Equatable {
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
        precondition((1...Variable.mostRanks).contains(count), "there must be 1 to 2^52 ranks")
        precondition(theta > 0 && theta.isFinite, "theta must be above 0")
        self.theta = theta
        self.count = Double(count)
        lower = Self.integral(1.5, theta: theta) - 1
        upper = Self.integral(Double(count) + 0.5, theta: theta)
        squeeze =
            2
            - Self.inverseIntegral(
                Self.integral(2.5, theta: theta) - Self.density(2, theta: theta),
                theta: theta
            )
    }

    /// Draws the next rank.
    package func next(using stream: inout RandomStream) -> Int64 {
        while true {
            let area = upper + stream.nextUnit() * (lower - upper)
            let x = Self.inverseIntegral(area, theta: theta)
            // Rounding can produce a result beyond either end of the range.
            let rank = min(max((x + 0.5).rounded(.down), 1), count)
            if rank - x <= squeeze
                || area >= Self.integral(rank + 0.5, theta: theta)
                    - Self.density(rank, theta: theta)
            {
                return Int64(rank)
            }
        }
    }

    /// h(x) = x^−theta.
    private static func density(_ x: Double, theta: Double) -> Double { exp(-theta * log(x)) }

    /// H(x) = (x^(1−theta) − 1) / (1 − theta), or log x for theta = 1.
    private static func integral(_ x: Double, theta: Double) -> Double {
        let logarithm = log(x)
        let exponent = (1 - theta) * logarithm
        return logarithm * (abs(exponent) > 1e-8 ? expm1(exponent) / exponent : 1 + exponent / 2)
    }

    private static func inverseIntegral(_ area: Double, theta: Double) -> Double {
        let scaled = max(area * (1 - theta), -1)
        return exp(area * (abs(scaled) > 1e-8 ? log1p(scaled) / scaled : 1 - scaled / 2))
    }
}

/// A distribution that follows Zipf's law, in which the popular integers are spread over the range.
///
/// The distribution corresponds to YCSB's `ScrambledZipfianGenerator` (Cooper et al., "Benchmarking
/// Cloud Serving Systems with YCSB", SoCC 2010). A rank is drawn from 10¹⁰ items, hashed, and
/// reduced modulo the length of the range. Several ranks can map to one integer, and some integers
/// have no rank.
package struct ScrambledZipfianDistribution: Sendable, Equatable {
    private enum Ranks: Sendable, Equatable {
        /// The approximation that YCSB uses, ``GrayZipfian``.
        case published
        case exact(ZipfianDistribution)
    }

    /// The number of items from which ranks are drawn.
    private static let items = 10_000_000_000.0
    private let minimum: Int64
    private let count: UInt64
    private let ranks: Ranks

    /// Creates the distribution over `range`.
    ///
    /// YCSB uses a theta of 0.99.
    ///
    /// - Precondition: `theta` is greater than 0.
    package init(_ range: ClosedRange<Int64>, theta: Double) {
        minimum = range.lowerBound
        count = UInt64(bitPattern: range.upperBound &- range.lowerBound) &+ 1
        ranks =
            theta == GrayZipfian.theta
            ? .published : .exact(ZipfianDistribution(count: Int64(Self.items), theta: theta))
    }

    /// Draws the next integer.
    package func next(using stream: inout RandomStream) -> Int64 {
        let rank: UInt64
        switch ranks {
        case .published: rank = GrayZipfian.next(using: &stream)
        case .exact(let zipfian): rank = UInt64(zipfian.next(using: &stream) - 1)
        }
        let hash = FNV1a.ycsbHash(rank)
        return minimum &+ Int64(bitPattern: count == 0 ? hash : hash % count)
    }

    /// A type that draws ranks from 10¹⁰ items, starting at 0, with a theta of 0.99 and YCSB's
    /// constants.
    ///
    /// The algorithm is from Gray et al., "Quickly Generating Billion-Record Synthetic Databases",
    /// SIGMOD 1994. The probabilities of the first two ranks are exact. The other probabilities are
    /// approximations.
    enum GrayZipfian {
        static let theta = 0.99
        /// The sum of k^−theta over all items.
        private static let zeta = 26.46902820178302
        private static let alpha = 1 / (1 - theta)
        private static let second = pow(0.5, theta)
        private static let eta = (1 - pow(2 / items, 1 - theta)) / (1 - (1 + second) / zeta)

        static func next(using stream: inout RandomStream) -> UInt64 {
            let unit = stream.nextUnit()
            let share = unit * zeta
            if share < 1 { return 0 }
            if share < 1 + second { return 1 }
            return UInt64(items * pow(eta * unit - eta + 1, alpha))
        }
    }
}

/// A normal distribution of integers around the middle of a range, truncated at both ends.
///
/// The distribution corresponds to pgbench's `random_gaussian`
/// (<https://www.postgresql.org/docs/current/pgbench.html>). The range extends `parameter` standard
/// deviations from the middle to each end. The Box–Muller transform ("A Note on the Generation of
/// Random Normal Deviates", Annals of Mathematical Statistics 29, 1958) produces the normal
/// numbers. Numbers outside the range are drawn again.
package struct GaussianDistribution: Sendable, Equatable {
    private let scale: RangeScale
    private let parameter: Double

    /// Creates the distribution over `range`.
    ///
    /// - Precondition: `parameter` is at least `Variable.leastParameter`.
    package init(_ range: ClosedRange<Int64>, parameter: Double) {
        precondition(parameter >= Variable.leastParameter, "the parameter must be at least 2")
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

/// A distribution in which a few integers at the start of the range receive most of the draws.
///
/// The distribution corresponds to YCSB's `HotspotIntegerGenerator`. A draw selects the hot set
/// with a given probability, and the remaining integers otherwise. All integers in a set are
/// equally likely.
package struct HotspotDistribution: Sendable, Equatable {
    private let hot: UniformDistribution
    private let cold: UniformDistribution?
    private let hotDrawShare: Double

    /// Creates the distribution over `range`.
    ///
    /// - Parameters:
    ///   - range: The range of integers to draw from.
    ///   - hotShare: The fraction of the range that is hot, from 0 through 1. At least one integer
    ///     is hot.
    ///   - hotDrawShare: The fraction of draws that return hot integers, from 0 through 1.
    package init(_ range: ClosedRange<Int64>, hotShare: Double, hotDrawShare: Double) {
        let length = Double(range.upperBound) - Double(range.lowerBound) + 1
        let size = Int64(max(1, min(length * hotShare, 9.2e18)))
        let (last, overflow) = range.lowerBound.addingReportingOverflow(size - 1)
        let end = overflow ? range.upperBound : min(last, range.upperBound)
        hot = UniformDistribution(range.lowerBound...end)
        cold =
            end < range.upperBound ? UniformDistribution((end + 1)...range.upperBound) : nil
        self.hotDrawShare = hotDrawShare
    }

    /// Draws the next integer.
    package func next(using stream: inout RandomStream) -> Int64 {
        guard let cold, stream.nextUnit() >= hotDrawShare else { return hot.next(using: &stream) }
        return cold.next(using: &stream)
    }
}

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

/// A uniform distribution of integers in a range.
package struct UniformDistribution: Sendable, Equatable {
    private let minimum: Int64
    /// The number of integers in the range, or 0 for 2⁶⁴ integers.
    private let count: UInt64

    /// Creates the distribution over `range`.
    package init(_ range: ClosedRange<Int64>) {
        minimum = range.lowerBound
        count = UInt64(bitPattern: range.upperBound &- range.lowerBound) &+ 1
    }

    /// Draws the next integer.
    package func next(using stream: inout RandomStream) -> Int64 {
        minimum &+ Int64(bitPattern: stream.next(below: count))
    }
}

/// A type that maps a number in 0..<1 to the integers of a range.
struct RangeScale: Sendable, Equatable {
    private let minimum: Int64
    private let maximum: Int64
    private let count: Double

    init(_ range: ClosedRange<Int64>) {
        minimum = range.lowerBound
        maximum = range.upperBound
        count = Double(range.upperBound) - Double(range.lowerBound) + 1
    }

    /// Returns the integer whose part of the interval 0..<1 contains `unit`.
    func integer(at unit: Double) -> Int64 {
        let offset = (count * unit).rounded(.down)
        // Near the end, rounding can produce a result beyond the range or beyond `Int64`.
        guard offset < count, offset < 0x1p63 else { return maximum }
        return min(minimum &+ Int64(offset), maximum)
    }
}

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
