import SQLiteWatch

/// One process over time.
struct WatchLane: Sendable {
    /// What a process did in the interval of one report.
    struct Point: Sendable, Equatable {
        var state: WatchLaneState
        /// The share of the interval for which it held a lock to write, from 0 to 1.
        var writer: Float = 0
        /// The share for which it held a lock to read.
        var reader: Float = 0
        /// The share for which it held the lock to checkpoint.
        var checkpoint: Float = 0
        /// Its processor time, as a share of one core; negative where that is not known.
        var processor: Float = -1

        /// The point of an interval in which the process did not use the database.
        static let absent = Point(state: .absent)
    }

    /// The number of the process.
    let pid: Int32
    /// The name of its program, escaped.
    var name: String
    /// Its points, the newest last: one for each moment since it was first seen.
    var points = RingBuffer<Point>(capacity: WatchHistory.capacity)
    /// The time at which it was first seen, in seconds.
    let firstSeen: Double
    /// The time at which it was last seen, in seconds.
    var lastSeen: Double

    /// What identifies the process in lists: `4711 python3 report.py`, the number first, so that no column cuts it off.
    var label: String { WatchWords.process(name, pid) }
}
