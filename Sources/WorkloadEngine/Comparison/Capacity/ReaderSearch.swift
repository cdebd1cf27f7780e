/// Finds the smallest of several numbers of readers that passes, when more of them are never worse.
public struct ReaderSearch: Sendable {
    /// The numbers, from the smallest.
    public let candidates: [Int]
    /// Below this index nothing passes.
    private var low = 0
    /// From this index on everything passes; the number of candidates when nothing is known to.
    private var high: Int
    private var isConfirmed = false

    /// Begins a search among numbers of readers.
    public init(_ candidates: [Int]) {
        self.candidates = Set(candidates).sorted()
        high = self.candidates.count
    }

    /// The number to try now, and whether by a long run; nil when the search is over.
    public var step: (readers: Int, isLong: Bool)? {
        if low < high {
            // The largest first: when that fails, there is nothing to look for.
            let index = high == candidates.count ? candidates.count - 1 : (low + high) / 2
            return (candidates[index], false)
        }
        guard high < candidates.count, !isConfirmed else { return nil }
        return (candidates[high], true)
    }

    /// Takes in whether the number of ``step`` passed.
    public mutating func record(_ passed: Bool) {
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

    /// The smallest number that passed a long run; nil when none did.
    public var smallest: Int? {
        isConfirmed && high < candidates.count ? candidates[high] : nil
    }
}
