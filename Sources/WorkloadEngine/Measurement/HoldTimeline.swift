/// How long the workers of one client held connections, millisecond by millisecond, over the last
/// quarter of a minute.
///
/// It takes 64 KB and never grows. A wait that is longer is looked at for as far as it goes back.
struct HoldTimeline: Sendable {
    /// How many milliseconds it goes back.
    static let length: UInt64 = 16_384
    private static let width: UInt64 = 1_000_000

    /// The nanoseconds held in each millisecond, by its number modulo the length.
    private var held = [UInt32](repeating: 0, count: Int(Self.length))
    /// The number of the last millisecond.
    private var latest: UInt64

    /// Creates an empty one that begins at a time of the clock.
    init(at now: UInt64) {
        latest = now / Self.width
    }

    /// The earliest time that it knows, on the clock.
    var start: UInt64 {
        latest >= Self.length ? (latest - Self.length + 1) * Self.width : 0
    }

    /// Forgets what is too old, so that it goes up to `now`.
    mutating func advance(to now: UInt64) {
        let target = now / Self.width
        guard target > latest else { return }
        let first = target - latest >= Self.length ? target - Self.length : latest
        for number in (first + 1)...target { held[Int(number % Self.length)] = 0 }
        latest = target
    }

    /// Adds a stretch in which a connection was held for `time` nanoseconds in all.
    mutating func add(from: UInt64, until: UInt64, held time: UInt64) {
        let length = until - min(until, from)
        guard length > 0 else { return }
        for (number, overlap) in overlaps(from: from, until: until) {
            let share = Double(time) * Double(overlap) / Double(length)
            held[Int(number % Self.length)] &+= UInt32(share.rounded())
        }
    }

    /// How long connections were held between two times, in nanoseconds added up over them.
    func held(from: UInt64, until: UInt64) -> UInt64 {
        var sum = 0.0
        for (number, overlap) in overlaps(from: from, until: until) {
            sum += Double(held[Int(number % Self.length)]) * Double(overlap) / Double(Self.width)
        }
        return UInt64(sum.rounded())
    }

    /// The milliseconds between two times that it knows, with how much of each lies in between.
    private func overlaps(
        from: UInt64,
        until: UInt64
    ) -> some Sequence<(number: UInt64, overlap: UInt64)> {
        let from = max(from, start)
        let until = min(until, (latest + 1) * Self.width)
        // Half-open, so that it can be empty.
        let numbers = from < until ? from / Self.width..<(until - 1) / Self.width + 1 : 0..<0
        return numbers.lazy.map { number in
            let begin = max(from, number * Self.width)
            let end = min(until, (number + 1) * Self.width)
            return (number, end - begin)
        }
    }
}
