/// A distribution in which a few integers at the start of the range receive most of the draws.
///
/// The distribution corresponds to YCSB's `HotspotIntegerGenerator`. A draw selects the hot set
/// with a given probability, and the remaining integers otherwise. All integers in a set are
/// equally likely.
package struct HotspotDistribution: Sendable, Equatable {
    private let hot: UniformDistribution
    private let cold: UniformDistribution?
    private let draws: Double

    /// Creates the distribution over `range`.
    ///
    /// - Parameters:
    ///   - range: The integers.
    ///   - set: The share of the range that is hot, in 0…1. At least one integer is hot.
    ///   - draws: The share of draws that return hot integers, in 0…1.
    package init(_ range: ClosedRange<Int64>, set: Double, draws: Double) {
        let length = Double(range.upperBound) - Double(range.lowerBound) + 1
        let size = Int64(max(1, min(length * set, 9.2e18)))
        let (last, overflow) = range.lowerBound.addingReportingOverflow(size - 1)
        let end = overflow ? range.upperBound : min(last, range.upperBound)
        hot = UniformDistribution(range.lowerBound...end)
        cold =
            end < range.upperBound ? UniformDistribution((end + 1)...range.upperBound) : nil
        self.draws = draws
    }

    /// Draws the next integer.
    package func next(using stream: inout RandomStream) -> Int64 {
        guard let cold, stream.nextUnit() >= draws else { return hot.next(using: &stream) }
        return cold.next(using: &stream)
    }
}
