/// A distribution that returns the integers of a range in order, repeatedly.
///
/// The distribution corresponds to YCSB's `SequentialGenerator`. Copies share a counter, so each
/// pass over the range returns each integer once.
package struct SequentialDistribution: Sendable, Equatable {
    private let minimum: Int64
    /// The number of integers in the range, or 0 for 2⁶⁴ integers.
    private let count: UInt64
    /// The counter of the drawn integers.
    let sequence: SharedSequence

    /// Creates a distribution that starts with the smallest integer in `range`.
    package init(_ range: ClosedRange<Int64>) {
        self.init(range, sequence: SharedSequence())
    }

    init(_ range: ClosedRange<Int64>, sequence: SharedSequence) {
        minimum = range.lowerBound
        count = UInt64(bitPattern: range.upperBound &- range.lowerBound) &+ 1
        self.sequence = sequence
    }

    /// Returns the next integer.
    package func next() -> Int64 {
        let number = UInt64(bitPattern: sequence.next())
        return minimum &+ Int64(bitPattern: count == 0 ? number : number % count)
    }
}
