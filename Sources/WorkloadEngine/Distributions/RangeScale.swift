/// Spreads a number in 0..<1 over the integers of a range.
struct RangeScale: Sendable, Equatable {
    private let minimum: Int64
    private let maximum: Int64
    private let count: Double

    init(_ range: ClosedRange<Int64>) {
        minimum = range.lowerBound
        maximum = range.upperBound
        count = Double(range.upperBound) - Double(range.lowerBound) + 1
    }

    /// The integer whose share of 0..<1 `unit` lies in.
    func integer(at unit: Double) -> Int64 {
        let offset = (count * unit).rounded(.down)
        // Rounding can lead out of the range, and out of the integers, at the end.
        guard offset < count, offset < 0x1p63 else { return maximum }
        return min(minimum &+ Int64(offset), maximum)
    }
}
