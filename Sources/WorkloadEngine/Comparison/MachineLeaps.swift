import Foundation

/// Blocks in which two runs of one arm differ by far more than in the other blocks.
///
/// A shared machine switches between a few speeds and keeps each of them for seconds. Runs at the
/// same speed agree within a few percent, but runs before and after a change do not. A few such
/// blocks widen the intervals of all comparisons and determine the noise floor. More blocks reduce
/// their effect.
struct MachineLeaps: Equatable {
    /// The number of such blocks.
    let count: Int
    /// The smallest ratio of the two runs in these blocks, above 1.
    let least: Double
    /// The largest ratio of the two runs in the other blocks, at least 1.
    let usual: Double

    /// The smallest possible leap, as the logarithm of a ratio.
    private static let smallest = log(1.05)
    /// The smallest possible leap, as a multiple of the median difference.
    ///
    /// With normally distributed noise, one difference in 1,300 is that large.
    private static let multiple = 5.0

    /// Finds leaps between the values of one arm's two runs.
    ///
    /// Returns `nil` if no leap affects the noise floor, or if there are too many leaps to
    /// distinguish them from noise.
    ///
    /// - Parameters:
    ///   - first: The values of the first runs, one for each block, or `nil` for blocks with too
    ///     few samples.
    ///   - second: The values of the second runs.
    ///   - floor: The noise floor of these values, a ratio of at least 1.
    init?(_ first: [Double?], _ second: [Double?], floor: Double) {
        let differences = zip(first, second).compactMap { first, second -> Double? in
            guard let first, let second, first > 0, second > 0 else { return nil }
            return abs(log(second / first))
        }.sorted()
        guard !differences.isEmpty else { return nil }
        let limit = max(Self.smallest, Self.multiple * differences[differences.count / 2])
        guard let index = differences.firstIndex(where: { $0 > limit }) else { return nil }
        let usual = index > 0 ? differences[index - 1] : 0
        // Without leaps, the floor would be close to the largest difference in the other blocks.
        guard log(floor) > max(usual, Self.smallest) else { return nil }
        count = differences.count - index
        least = exp(differences[index])
        self.usual = exp(usual)
    }
}
