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
