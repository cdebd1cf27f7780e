/// The total hold time of a client's workers in each millisecond of the last 16 seconds.
///
/// The timeline has a fixed size of 64 KB. If a wait is longer than the timeline, the timeline
/// covers only the last part of the wait.
struct HoldTimeline: Sendable {
    /// The length of the timeline, in milliseconds.
    static let length: UInt64 = 16_384
    /// The length of a millisecond, in nanoseconds.
    private static let width: UInt64 = 1_000_000

    /// The hold time in each millisecond, in nanoseconds, indexed by the millisecond's number
    /// modulo the length.
    private var held = [UInt32](repeating: 0, count: Int(Self.length))
    private var latest: UInt64

    init(at now: UInt64) {
        latest = now / Self.width
    }

    var start: UInt64 {
        latest >= Self.length ? (latest - Self.length + 1) * Self.width : 0
    }

    mutating func advance(to now: UInt64) {
        let target = now / Self.width
        guard target > latest else { return }
        let first = target - latest >= Self.length ? target - Self.length : latest
        for number in (first + 1)...target { held[Int(number % Self.length)] = 0 }
        latest = target
    }

    /// Adds an interval during which a connection was held for `time` nanoseconds in total.
    mutating func add(from: UInt64, until: UInt64, held time: UInt64) {
        let length = until - min(until, from)
        guard length > 0 else { return }
        for (number, overlap) in overlaps(from: from, until: until) {
            let share = Double(time) * Double(overlap) / Double(length)
            held[Int(number % Self.length)] &+= UInt32(share.rounded())
        }
    }

    /// Returns the total hold time in an interval, in nanoseconds.
    func held(from: UInt64, until: UInt64) -> UInt64 {
        var sum = 0.0
        for (number, overlap) in overlaps(from: from, until: until) {
            sum += Double(held[Int(number % Self.length)]) * Double(overlap) / Double(Self.width)
        }
        return UInt64(sum.rounded())
    }

    /// Returns the milliseconds that the timeline and an interval share, with their overlaps.
    private func overlaps(
        from: UInt64,
        until: UInt64
    ) -> some Sequence<(number: UInt64, overlap: UInt64)> {
        let from = max(from, start)
        let until = min(until, (latest + 1) * Self.width)
        // A half-open range can be empty.
        let numbers = from < until ? from / Self.width..<(until - 1) / Self.width + 1 : 0..<0
        return numbers.lazy.map { number in
            let overlapStart = max(from, number * Self.width)
            let overlapEnd = min(until, (number + 1) * Self.width)
            return (number, overlapEnd - overlapStart)
        }
    }
}
