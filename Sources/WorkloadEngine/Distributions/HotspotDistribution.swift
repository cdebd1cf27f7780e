/// Integers of which a few, at the range's beginning, get most of the draws.
///
/// YCSB's `HotspotIntegerGenerator`: a draw falls into the hot set with one probability, and each
/// integer of the set it falls into is as likely as any other there.
public struct HotspotDistribution: Sendable, Equatable {
    private let hot: UniformDistribution
    private let cold: UniformDistribution?
    private let draws: Double

    /// Creates the distribution over `range`.
    ///
    /// - Parameters:
    ///   - range: The integers.
    ///   - set: The share of the range that is hot, in 0…1; at least one integer is.
    ///   - draws: The share of the draws that the hot ones get, in 0…1.
    public init(_ range: ClosedRange<Int64>, set: Double, draws: Double) {
        let length = Double(range.upperBound) - Double(range.lowerBound) + 1
        let size = Int64(max(1, min(length * set, 9.2e18)))
        let (last, overflow) = range.lowerBound.addingReportingOverflow(size - 1)
        let end = overflow ? range.upperBound : min(last, range.upperBound)
        hot = UniformDistribution(range.lowerBound...end)
        cold =
            end < range.upperBound ? UniformDistribution((end + 1)...range.upperBound) : nil
        self.draws = draws
    }

    /// The next integer.
    public func next(using stream: inout RandomStream) -> Int64 {
        guard let cold, stream.nextUnit() >= draws else { return hot.next(using: &stream) }
        return cold.next(using: &stream)
    }
}
