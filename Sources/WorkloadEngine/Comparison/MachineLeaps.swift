import Foundation

/// The blocks in which two runs of one arm differ by far more than in the other blocks.
///
/// A shared machine switches between a few speeds and keeps each speed for seconds. Runs at the
/// same speed agree within a few percent. A *leap* is a change of speed between the two runs of a
/// block. A few blocks with leaps widen the intervals of all comparisons and determine the noise
/// floor. More blocks reduce this effect.
struct MachineLeaps: Equatable {
    /// The number of blocks with leaps.
    let count: Int
    /// The smallest ratio of the two runs in blocks with leaps, above 1.
    let smallestRatio: Double
    /// The largest ratio of the two runs in the other blocks, at least 1.
    let largestUsualRatio: Double

    /// The minimum leap, as the logarithm of a ratio.
    private static let smallest = log(1.05)
    /// The minimum leap, as a multiple of the median difference.
    ///
    /// With normally distributed noise, about one difference in 1,300 exceeds five times the
    /// median.
    private static let multiple = 5.0

    /// Finds leaps between the values of one arm's two runs.
    ///
    /// Returns `nil` if no leap affects the noise floor, or if leaps cannot be distinguished from
    /// noise.
    ///
    /// - Parameters:
    ///   - first: The values of the first runs, one per block, or `nil` for blocks with too few
    ///     samples.
    ///   - second: The values of the second runs.
    ///   - floor: The noise floor of these values, as a ratio of at least 1.
    init?(_ first: [Double?], _ second: [Double?], floor: Double) {
        let differences = zip(first, second).compactMap { first, second -> Double? in
            guard let first, let second, first > 0, second > 0 else { return nil }
            return abs(log(second / first))
        }.sorted()
        guard !differences.isEmpty else { return nil }
        let limit = max(Self.smallest, Self.multiple * differences[differences.count / 2])
        guard let index = differences.firstIndex(where: { $0 > limit }) else { return nil }
        let usual = index > 0 ? differences[index - 1] : 0
        // Without leaps, the floor would be close to the largest usual difference.
        guard log(floor) > max(usual, Self.smallest) else { return nil }
        count = differences.count - index
        smallestRatio = exp(differences[index])
        largestUsualRatio = exp(usual)
    }
}
