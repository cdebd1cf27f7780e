/// A distribution that follows Zipf's law, in which the newest integer is the most popular.
///
/// The distribution corresponds to YCSB's `SkewedLatestGenerator` (Cooper et al., "Benchmarking
/// Cloud Serving Systems with YCSB", SoCC 2010). The probabilities of the ranks depend on the
/// current number of integers.
package struct LatestDistribution: Sendable, Equatable {
    private let minimum: Int64
    private let theta: Double
    /// The sequence whose published values extend the range, if any.
    private let sequence: SharedSequence?
    private var newest: Int64
    private var ranks: ZipfianDistribution

    /// Creates a distribution over a fixed range.
    ///
    /// - Precondition: The range has at most 2⁵² integers, and `theta` is greater than 0.
    package init(_ range: ClosedRange<Int64>, theta: Double) {
        self.init(range, theta: theta, following: nil)
    }

    /// Creates a distribution over a range that grows when a sequence publishes larger values.
    init(_ range: ClosedRange<Int64>, theta: Double, following sequence: SharedSequence?) {
        minimum = range.lowerBound
        newest = range.upperBound
        self.theta = theta
        self.sequence = sequence
        ranks = ZipfianDistribution(count: newest - minimum + 1, theta: theta)
    }

    /// Draws the next integer.
    package mutating func next(using stream: inout RandomStream) -> Int64 {
        if let published = sequence?.published, published > newest {
            newest = published
            let count = min(newest - minimum + 1, ZipfianDistribution.mostRanks)
            ranks = ZipfianDistribution(count: count, theta: theta)
        }
        return newest - (ranks.next(using: &stream) - 1)
    }
}
