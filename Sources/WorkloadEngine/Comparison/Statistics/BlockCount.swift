/// How many blocks a comparison needs to be able to find anything.
///
/// The smallest p-value that `n` paired differences can give is 2^(1−n), when all have one sign.
/// Holm's correction multiplies the smallest of `m` by `m`. So with m × 2^(1−n) above the
/// significance level no difference, however large, would be found: that is checked before a run.
package enum BlockCount {
    /// The level that a comparison decides at.
    package static let significance = 0.05

    /// The smallest corrected p-value that `blocks` can give with `tests`.
    package static func smallestPValue(blocks: Int, tests: Int) -> Double {
        let significand = Double(max(1, tests))
        return min(1, Double(sign: .plus, exponent: 1 - max(1, blocks), significand: significand))
    }

    /// Whether `blocks` can find a difference with `tests`.
    package static func suffices(_ blocks: Int, tests: Int) -> Bool {
        smallestPValue(blocks: blocks, tests: tests) <= significance
    }

    /// The fewest blocks that can find a difference with `tests`.
    package static func minimum(tests: Int) -> Int {
        var blocks = 1
        while !suffices(blocks, tests: tests) { blocks += 1 }
        return blocks
    }
}
