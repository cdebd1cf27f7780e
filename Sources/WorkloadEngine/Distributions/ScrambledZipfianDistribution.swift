import Foundation

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
