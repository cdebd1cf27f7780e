import Telemetry

/// The peak values of a run, which panels show after its end.
struct RunPeaks: Sendable {
    /// The largest number of reads that waited at once.
    private(set) var waitingReaders = 0
    /// The largest number of writes that waited at once.
    private(set) var waitingWriters = 0
    /// The read with the longest observed wait.
    private(set) var longestReader: WaiterStatus?
    /// The write with the longest observed wait.
    private(set) var longestWriter: WaiterStatus?
    /// The largest number of readers in use at once.
    private(set) var readersInUse = 0
    /// The largest size of the write-ahead log, in bytes.
    private(set) var walBytes: UInt64 = 0
    /// The snapshot with the greatest observed age.
    private(set) var oldestSnapshot: SnapshotStatus?

    /// Adds a sample.
    mutating func append(_ sample: Sample) {
        let database = sample.database
        waitingReaders = max(waitingReaders, database.waitingReaders.count)
        waitingWriters = max(waitingWriters, database.waitingWriters.count)
        for waiter in database.waitingReaders { Self.keep(waiter, in: &longestReader) }
        for waiter in database.waitingWriters { Self.keep(waiter, in: &longestWriter) }
        readersInUse = max(readersInUse, database.readers?.inUse ?? 0)
        walBytes = max(walBytes, database.wal?.bytes ?? 0)
        for snapshot in database.snapshots
        where snapshot.ageNanoseconds > oldestSnapshot?.ageNanoseconds ?? 0 {
            oldestSnapshot = snapshot
        }
    }

    private static func keep(_ waiter: WaiterStatus, in longest: inout WaiterStatus?) {
        guard waiter.waitedNanoseconds > longest?.waitedNanoseconds ?? 0 else { return }
        longest = waiter
    }
}

extension Sample {
    /// Keeps the target rates and throughputs of the last running sample, which an ended load
    /// lacks.
    mutating func keepLoad(of last: Sample?) {
        guard let last else { return }
        knobs = last.knobs
        for index in clients.indices where last.clients.indices.contains(index) {
            clients[index].targetRate = last.clients[index].targetRate
            clients[index].throughput = last.clients[index].throughput
        }
    }
}
