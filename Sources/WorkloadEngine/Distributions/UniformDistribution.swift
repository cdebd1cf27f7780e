/// Integers of a range, each as likely as any other.
public struct UniformDistribution: Sendable, Equatable {
    private let minimum: Int64
    /// How many integers the range has; 0 stands for 2⁶⁴.
    private let count: UInt64

    /// Creates the distribution over `range`.
    public init(_ range: ClosedRange<Int64>) {
        minimum = range.lowerBound
        count = UInt64(bitPattern: range.upperBound &- range.lowerBound) &+ 1
    }

    /// The next integer.
    public func next(using stream: inout RandomStream) -> Int64 {
        minimum &+ Int64(bitPattern: stream.next(below: count))
    }
}
