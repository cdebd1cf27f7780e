/// Computes how many blocks a comparison needs to show a difference.
///
/// If all `n` paired differences have the same sign, the p-value has its smallest possible value,
/// 2^(1−n). Holm's correction multiplies the smallest of `m` p-values by `m`. If m × 2^(1−n)
/// exceeds the significance level, no difference can be significant, however large it is. A
/// comparison checks this before it starts.
package enum BlockCount {
    /// The significance level of comparisons.
    package static let significance = 0.05

    /// Returns the smallest possible corrected p-value for the given numbers of blocks and tests.
    package static func smallestPValue(blocks: Int, tests: Int) -> Double {
        let significand = Double(max(1, tests))
        return min(1, Double(sign: .plus, exponent: 1 - max(1, blocks), significand: significand))
    }

    /// Returns whether this number of blocks can show a difference in this number of tests.
    package static func suffices(_ blocks: Int, tests: Int) -> Bool {
        smallestPValue(blocks: blocks, tests: tests) <= significance
    }

    /// Returns the smallest number of blocks that can show a difference in this number of tests.
    package static func minimum(tests: Int) -> Int {
        var blocks = 1
        while !suffices(blocks, tests: tests) { blocks += 1 }
        return blocks
    }
}
