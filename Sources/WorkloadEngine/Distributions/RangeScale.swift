/// A type that maps a number in 0..<1 to the integers of a range.
struct RangeScale: Sendable, Equatable {
    private let minimum: Int64
    private let maximum: Int64
    private let count: Double

    init(_ range: ClosedRange<Int64>) {
        minimum = range.lowerBound
        maximum = range.upperBound
        count = Double(range.upperBound) - Double(range.lowerBound) + 1
    }

    /// Returns the integer whose part of the interval 0..<1 contains `unit`.
    func integer(at unit: Double) -> Int64 {
        let offset = (count * unit).rounded(.down)
        // Near the end, rounding can produce a result beyond the range or beyond `Int64`.
        guard offset < count, offset < 0x1p63 else { return maximum }
        return min(minimum &+ Int64(offset), maximum)
    }
}
