import Telemetry

/// The numbers of one sample that charts go back to.
struct Moment: Timed, Equatable {
    /// Seconds since the run began.
    var time: Double
    /// Connections that serve reads: the time-weighted mean since the sample before, where known.
    var inUse: Double
    /// Accesses that wait to read.
    var waitingReaders: Double
    /// Accesses that wait to write.
    var waitingWriters: Double
    /// The share of time in which everything was in use and somebody waited, in 0…1.
    var saturation: Double
    /// The size of the write-ahead log in bytes; NaN where there is none.
    var walBytes: Double

    /// Takes from a sample what charts need.
    init(_ sample: Sample, time: Double) {
        let database = sample.database
        self.time = time
        waitingReaders = Double(database.waitingReaders.count)
        waitingWriters = Double(database.waitingWriters.count)
        let waits = waitingReaders + (database.kind == .queue ? waitingWriters : 0) > 0
        let isFull: Bool
        if let readers = database.readers {
            let mean = sample.utilization.map { $0 * Double(readers.maximum) } ?? .nan
            inUse = mean.isFinite ? min(max(mean, 0), 1e6) : Double(readers.inUse)
            isFull = readers.inUse >= readers.maximum
        } else {
            let busy = database.connections.filter { $0.role == .queue && $0.state != .idle }.count
            inUse = Double(busy)
            isFull = busy > 0
        }
        if let share = sample.saturation, share.isFinite {
            saturation = min(max(share, 0), 1)
        } else {
            // Not measured: what this look at it shows.
            saturation = waits && isFull ? 1 : 0
        }
        walBytes = database.wal.map { Double($0.bytes) } ?? .nan
    }
}
