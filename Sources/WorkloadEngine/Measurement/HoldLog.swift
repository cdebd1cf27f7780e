/// When one worker held its connection, in a stretch of time.
///
/// Holds that follow one another closely are one entry with the sum of their times, so a second
/// takes a thousand entries at most, however many accesses it had.
struct HoldLog: Sendable {
    /// A stretch in which the worker held its connection for some of the time.
    struct Entry: Sendable, Equatable {
        /// Its begin, on the clock.
        var from: UInt64
        /// Its end, on the clock.
        var until: UInt64
        /// For how much of it the connection was held, in nanoseconds.
        var held: UInt64
    }

    /// The longest stretch that several holds are put into, in nanoseconds.
    static let longestStretch: UInt64 = 2_000_000
    /// The most entries: older ones give way, when nobody took them for longer than a second.
    static let limit = 2048

    /// The entries; in the order of time unless there were more than ``limit``.
    private(set) var entries: [Entry] = []
    /// The longest hold, in nanoseconds.
    private(set) var longest: UInt64 = 0
    private var last = 0

    /// Adds a hold.
    @inline(__always)
    mutating func add(from: UInt64, until: UInt64) {
        let held = until &- min(until, from)
        if held > longest { longest = held }
        if last < entries.count, until &- entries[last].from <= Self.longestStretch {
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

    /// Forgets all entries, keeping the memory.
    mutating func clear() {
        entries.removeAll(keepingCapacity: true)
        last = 0
        longest = 0
    }
}
