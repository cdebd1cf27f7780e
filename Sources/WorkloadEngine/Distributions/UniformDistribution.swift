/// A uniform distribution of integers in a range.
package struct UniformDistribution: Sendable, Equatable {
    private let minimum: Int64
    /// The number of integers in the range, or 0 for 2⁶⁴ integers.
    private let count: UInt64

    /// Creates the distribution over `range`.
    package init(_ range: ClosedRange<Int64>) {
        minimum = range.lowerBound
        count = UInt64(bitPattern: range.upperBound &- range.lowerBound) &+ 1
    }

    /// Draws the next integer.
    package func next(using stream: inout RandomStream) -> Int64 {
        minimum &+ Int64(bitPattern: stream.next(below: count))
    }
}
