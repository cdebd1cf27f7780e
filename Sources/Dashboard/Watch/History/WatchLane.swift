import SQLiteWatch

/// A process's use of a database over time.
struct WatchLane: Sendable {
    struct Point: Sendable, Equatable {
        var state: WatchLaneState
        /// The share of the interval, from 0 to 1, during which the process held a write lock.
        var writer: Float = 0
        /// The share of the interval, from 0 to 1, during which the process held a read lock.
        var reader: Float = 0
        /// The share of the interval, from 0 to 1, during which the process held the checkpoint
        /// lock.
        var checkpoint: Float = 0
        /// The CPU time, as a share of one CPU, or a negative value if unknown.
        var cpuShare: Float = -1

        static let absent = Point(state: .absent)
    }

    let pid: Int32
    /// The escaped name of the program.
    var name: String
    /// The points since the process was first observed, newest last.
    var points = RingBuffer<Point>(capacity: WatchHistory.capacity)
    /// The time of the first report that contains the process, in seconds.
    let firstSeen: Double
    /// The time of the last report that contains the process, in seconds.
    var lastSeen: Double

    /// The label in lists, such as `4711 python3 report.py`.
    var label: String { WatchLabels.process(name, pid) }
}
