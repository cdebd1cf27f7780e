/// A type that computes the number of blocks that a comparison needs to show a difference.
///
/// If all `n` paired differences have the same sign, the p-value has its minimum, 2^(1−n). Holm's
/// correction multiplies the smallest of `m` p-values by `m`. If m × 2^(1−n) exceeds the
/// significance level, no difference can be significant.
package enum BlockCount {
    /// The significance level of comparisons.
    package static let significance = 0.05

    /// Returns the smallest possible corrected p-value.
    package static func smallestPValue(blocks: Int, tests: Int) -> Double {
        let significand = Double(max(1, tests))
        return min(1, Double(sign: .plus, exponent: 1 - max(1, blocks), significand: significand))
    }

    /// Returns whether the given number of blocks can show a difference in the given tests.
    package static func suffices(_ blocks: Int, tests: Int) -> Bool {
        smallestPValue(blocks: blocks, tests: tests) <= significance
    }

    /// Returns the minimum number of blocks that can show a difference.
    package static func minimum(tests: Int) -> Int {
        var blocks = 1
        while !suffices(blocks, tests: tests) { blocks += 1 }
        return blocks
    }
}
