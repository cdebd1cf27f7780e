/// A search that finds the smallest number of readers that passes.
///
/// The search assumes that additional readers never worsen the outcome.
package struct ReaderSearch: Sendable {
    /// The candidate numbers of readers, in ascending order.
    package let candidates: [Int]
    /// The index of the smallest candidate that may still pass.
    private var low = 0
    /// The index of the smallest candidate known to pass, or the number of candidates if none is
    /// known to pass.
    private var high: Int
    private var isConfirmed = false

    /// Creates a search among the given numbers of readers.
    package init(_ candidates: [Int]) {
        self.candidates = Set(candidates).sorted()
        high = self.candidates.count
    }

    /// The number of readers to try next and whether to use a long run, or `nil` at the end.
    package var step: (readers: Int, isLong: Bool)? {
        if low < high {
            // Try the largest candidate first. If it fails, no candidate passes.
            let index = high == candidates.count ? candidates.count - 1 : (low + high) / 2
            return (candidates[index], false)
        }
        guard high < candidates.count, !isConfirmed else { return nil }
        return (candidates[high], true)
    }

    /// Records whether the number of readers in ``step`` passed.
    package mutating func record(_ passed: Bool) {
        guard let step, let index = candidates.firstIndex(of: step.readers) else { return }
        if step.isLong {
            isConfirmed = passed
            if !passed {
                low = index + 1
                high = min(low, candidates.count)
            }
        } else if passed {
            high = index
        } else {
            low = index + 1
            high = max(high, low)
        }
    }

    /// The smallest number of readers that passed a long run, if any.
    package var smallest: Int? {
        isConfirmed && high < candidates.count ? candidates[high] : nil
    }
}
