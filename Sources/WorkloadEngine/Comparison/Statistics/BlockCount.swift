/// The number of blocks that a comparison needs to show a difference.
///
/// The smallest possible p-value of `n` paired differences is 2^(1−n), when all have the same sign.
/// Holm's correction multiplies the smallest of `m` p-values by `m`. If m × 2^(1−n) exceeds the
/// significance level, no difference, however large, is significant: a comparison checks this
/// before it starts.
package enum BlockCount {
    /// The significance level of a comparison.
    package static let significance = 0.05

    /// Returns the smallest corrected p-value that is possible with `blocks` and `tests`.
    package static func smallestPValue(blocks: Int, tests: Int) -> Double {
        let significand = Double(max(1, tests))
        return min(1, Double(sign: .plus, exponent: 1 - max(1, blocks), significand: significand))
    }

    /// Returns whether `blocks` can show a difference with `tests`.
    package static func suffices(_ blocks: Int, tests: Int) -> Bool {
        smallestPValue(blocks: blocks, tests: tests) <= significance
    }

    /// Returns the smallest number of blocks that can show a difference with `tests`.
    package static func minimum(tests: Int) -> Int {
        var blocks = 1
        while !suffices(blocks, tests: tests) { blocks += 1 }
        return blocks
    }
}
