import Telemetry

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

/// The slowest accesses of a worker.
struct SlowAccesses: Sendable {
    struct Access: Sendable {
        var timestamps: WorkerRecorder.Timestamps
        var cell: Int

        /// The time from intended start to end, in nanoseconds.
        var response: UInt64 { timestamps.end &- min(timestamps.end, timestamps.intended) }
    }

    /// The maximum number of accesses.
    static let limit = 32

    /// The slowest accesses, in no particular order.
    private(set) var accesses: [Access] = []
    /// The shortest response time in ``accesses``, after the number of accesses reaches the
    /// limit.
    private var shortest: UInt64 = 0
    private var shortestIndex = 0

    /// Adds an access if it is one of the slowest.
    @inline(__always)
    mutating func offer(_ timestamps: WorkerRecorder.Timestamps, cell: Int) {
        let response = timestamps.end &- timestamps.intended
        if accesses.count == Self.limit, response <= shortest { return }
        keep(Access(timestamps: timestamps, cell: cell))
    }

    private mutating func keep(_ access: Access) {
        if accesses.count < Self.limit {
            accesses.append(access)
            guard accesses.count == Self.limit else { return }
        } else {
            accesses[shortestIndex] = access
        }
        shortestIndex = accesses.indices.min { accesses[$0].response < accesses[$1].response } ?? 0
        shortest = accesses[shortestIndex].response
    }

    mutating func clear() {
        accesses.removeAll(keepingCapacity: true)
        shortest = 0
    }
}
