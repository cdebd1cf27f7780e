import Foundation

/// Blocks in which two runs of one arm differ by far more than in the others.
///
/// Shared machines have a few speeds, which each last for seconds: runs of one speed agree to a few
/// percent, and those on both sides of a change do not. A few such blocks widen the intervals of all
/// comparisons, and make the noise floor what they are. More blocks outvote them.
struct MachineLeaps: Equatable {
    /// How many blocks there are of them.
    let count: Int
    /// The smallest ratio of two runs in them, above 1.
    let least: Double
    /// The largest ratio of two runs in the other blocks, from 1 on.
    let usual: Double

    /// What differs by less is no leap, as a logarithm.
    private static let smallest = log(1.05)
    /// How many times the middle difference a leap is at least.
    ///
    /// Of normal noise, one difference in 1,300 is so large.
    private static let multiple = 5.0

    /// Looks for leaps in the values of one arm's two runs; nil without any that make the noise
    /// floor, or where they are too many to tell from the others.
    ///
    /// - Parameters:
    ///   - first: The values of the first runs, block by block; nil with too few samples.
    ///   - second: The values of the second runs.
    ///   - floor: The noise floor that came of them, a ratio from 1 on.
    init?(_ first: [Double?], _ second: [Double?], floor: Double) {
        let differences = zip(first, second).compactMap { first, second -> Double? in
            guard let first, let second, first > 0, second > 0 else { return nil }
            return abs(log(second / first))
        }.sorted()
        guard !differences.isEmpty else { return nil }
        let limit = max(Self.smallest, Self.multiple * differences[differences.count / 2])
        guard let index = differences.firstIndex(where: { $0 > limit }) else { return nil }
        let usual = index > 0 ? differences[index - 1] : 0
        // The others alone would give a floor of about what they differ by.
        guard log(floor) > max(usual, Self.smallest) else { return nil }
        count = differences.count - index
        least = exp(differences[index])
        self.usual = exp(usual)
    }
}
