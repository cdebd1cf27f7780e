import Telemetry

/// The chart values of a sample.
///
/// A value that an attached program does not report is NaN. While the program does not respond, all
/// values are NaN.
struct Moment: Timed, Equatable {
    /// The time since the start of the run, in seconds.
    var time: Double
    /// The number of connections that serve reads, or the time-weighted mean since the previous
    /// sample if it is known.
    var inUse: Double
    var waitingReaders: Double
    var waitingWriters: Double
    /// The share of time with all connections in use and an access waiting, from 0 to 1.
    var saturation: Double
    /// The size of the write-ahead log, in bytes, or NaN if there is no log.
    var walBytes: Double

    init(_ sample: Sample, time: Double) {
        let database = sample.database
        self.time = time
        waitingReaders = Double(database.waitingReaders.count)
        waitingWriters = Double(database.waitingWriters.count)
        let hasWaiter = waitingReaders + (database.kind == .queue ? waitingWriters : 0) > 0
        let isFull: Bool
        if let readers = database.readers {
            let mean = sample.utilization.map { $0 * Double(readers.maximum) } ?? .nan
            inUse = mean.isFinite ? min(max(mean, 0), 1e6) : Double(readers.inUse)
            isFull = readers.inUse >= readers.maximum
        } else {
            let busyCount = database.connections.filter { $0.role == .queue && $0.state != .idle }
                .count
            inUse = Double(busyCount)
            isFull = busyCount > 0
        }
        if let share = sample.saturation, share.isFinite {
            saturation = min(max(share, 0), 1)
        } else {
            // If the saturation was not measured, use the state in this sample.
            saturation = hasWaiter && isFull ? 1 : 0
        }
        walBytes = database.wal.map { Double($0.bytes) } ?? .nan
        if sample.hidesConnections, database.readers == nil {
            inUse = .nan
            // An access that waits for the only connection proves that the connection is in use.
            if sample.saturation == nil { saturation = hasWaiter ? 1 : .nan }
        }
        if sample.hidesWaits {
            (waitingReaders, waitingWriters) = (.nan, .nan)
            if sample.saturation == nil { saturation = .nan }
        }
        if sample.program?.isConnected == false {
            (inUse, waitingReaders, waitingWriters) = (.nan, .nan, .nan)
            (saturation, walBytes) = (.nan, .nan)
        }
    }
}
