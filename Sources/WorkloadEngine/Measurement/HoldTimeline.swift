/// The time during which one client's workers held connections, in each millisecond of the last 16
/// seconds.
///
/// The timeline has a fixed size of 64 KB. For a longer wait, it covers only the last part.
struct HoldTimeline: Sendable {
    /// The length of the timeline, in milliseconds.
    static let length: UInt64 = 16_384
    private static let width: UInt64 = 1_000_000

    /// The time held in each millisecond, in nanoseconds, indexed by the number of the millisecond
    /// modulo the length.
    private var held = [UInt32](repeating: 0, count: Int(Self.length))
    /// The number of the last millisecond.
    private var latest: UInt64

    /// Creates an empty timeline that starts at a clock time.
    init(at now: UInt64) {
        latest = now / Self.width
    }

    /// The earliest clock time that the timeline covers.
    var start: UInt64 {
        latest >= Self.length ? (latest - Self.length + 1) * Self.width : 0
    }

    /// Advances the timeline to `now`, discarding holds that are too old.
    mutating func advance(to now: UInt64) {
        let target = now / Self.width
        guard target > latest else { return }
        let first = target - latest >= Self.length ? target - Self.length : latest
        for number in (first + 1)...target { held[Int(number % Self.length)] = 0 }
        latest = target
    }

    /// Adds an interval in which a connection was held for `time` nanoseconds in total.
    mutating func add(from: UInt64, until: UInt64, held time: UInt64) {
        let length = until - min(until, from)
        guard length > 0 else { return }
        for (number, overlap) in overlaps(from: from, until: until) {
            let share = Double(time) * Double(overlap) / Double(length)
            held[Int(number % Self.length)] &+= UInt32(share.rounded())
        }
    }

    /// Returns the total time during which connections were held in an interval, in nanoseconds.
    func held(from: UInt64, until: UInt64) -> UInt64 {
        var sum = 0.0
        for (number, overlap) in overlaps(from: from, until: until) {
            sum += Double(held[Int(number % Self.length)]) * Double(overlap) / Double(Self.width)
        }
        return UInt64(sum.rounded())
    }

    /// Returns the milliseconds of an interval that the timeline covers, with the overlap of each.
    private func overlaps(
        from: UInt64,
        until: UInt64
    ) -> some Sequence<(number: UInt64, overlap: UInt64)> {
        let from = max(from, start)
        let until = min(until, (latest + 1) * Self.width)
        // A half-open range can be empty.
        let numbers = from < until ? from / Self.width..<(until - 1) / Self.width + 1 : 0..<0
        return numbers.lazy.map { number in
            let begin = max(from, number * Self.width)
            let end = min(until, (number + 1) * Self.width)
            return (number, end - begin)
        }
    }
}
