/// The times at which a worker held its connection.
///
/// Short holds in quick succession share one entry with the sum of their times. A second
/// therefore has at most a thousand entries, regardless of the number of accesses.
struct HoldLog: Sendable {
    struct Entry: Sendable, Equatable {
        var from: UInt64
        var until: UInt64
        /// The total hold time in the interval, in nanoseconds.
        var held: UInt64
    }

    /// The maximum length of an interval that combines several holds, in nanoseconds.
    static let longestInterval: UInt64 = 2_000_000
    /// The maximum number of entries, at which each new entry replaces the oldest entry.
    static let limit = 2048

    /// The entries, in chronological order until their number exceeds ``limit``.
    private(set) var entries: [Entry] = []
    /// The longest hold, in nanoseconds.
    private(set) var longest: UInt64 = 0
    /// The index of the newest entry.
    private var last = 0

    @inline(__always)
    mutating func add(from: UInt64, until: UInt64) {
        let held = until &- min(until, from)
        if held > longest { longest = held }
        if last < entries.count, until &- entries[last].from <= Self.longestInterval {
            entries[last].until = until
            entries[last].held &+= held
        } else {
            append(Entry(from: from, until: until, held: held))
        }
    }

    private mutating func append(_ entry: Entry) {
        if entries.count < Self.limit {
            last = entries.count
            entries.append(entry)
        } else {
            last = (last + 1) % Self.limit
            entries[last] = entry
        }
    }

    mutating func clear() {
        entries.removeAll(keepingCapacity: true)
        last = 0
        longest = 0
    }
}
