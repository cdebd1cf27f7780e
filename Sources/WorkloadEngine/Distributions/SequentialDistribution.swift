/// The integers of a range one after another, begun again after the last one.
///
/// YCSB's `SequentialGenerator`. Copies share the count: no value comes twice in a round.
public struct SequentialDistribution: Sendable, Equatable {
    private let minimum: Int64
    /// How many integers the range has; 0 stands for 2⁶⁴.
    private let count: UInt64
    let sequence: SharedSequence

    /// Creates the distribution over `range`, beginning with its smallest integer.
    public init(_ range: ClosedRange<Int64>) {
        self.init(range, sequence: SharedSequence())
    }

    init(_ range: ClosedRange<Int64>, sequence: SharedSequence) {
        minimum = range.lowerBound
        count = UInt64(bitPattern: range.upperBound &- range.lowerBound) &+ 1
        self.sequence = sequence
    }

    /// The next integer.
    public func next() -> Int64 {
        let number = UInt64(bitPattern: sequence.next())
        return minimum &+ Int64(bitPattern: count == 0 ? number : number % count)
    }
}
