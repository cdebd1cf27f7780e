import SQLiteWatch

/// One process over time.
struct WatchLane: Sendable {
    /// The activity of a process in the interval of one report.
    struct Point: Sendable, Equatable {
        var state: WatchLaneState
        /// The share of the interval for which the process held a write lock, from 0 to 1.
        var writer: Float = 0
        /// The share for which it held a read lock.
        var reader: Float = 0
        /// The share for which it held the checkpoint lock.
        var checkpoint: Float = 0
        /// The processor time, as a share of one core; negative if unknown.
        var processor: Float = -1

        /// The point for an interval in which the process did not use the database.
        static let absent = Point(state: .absent)
    }

    /// The process ID.
    let pid: Int32
    /// The name of the program, escaped.
    var name: String
    /// The points since the process was first observed, newest last.
    var points = RingBuffer<Point>(capacity: WatchHistory.capacity)
    /// The time of the first report with the process, in seconds.
    let firstSeen: Double
    /// The time of the last report with the process, in seconds.
    var lastSeen: Double

    /// The label in lists: `4711 python3 report.py`.
    ///
    /// The ID comes first so that narrow columns do not truncate it.
    var label: String { WatchWords.process(name, pid) }
}
