import Telemetry

/// The most that was seen of a run: what panels show once it has ended, when nobody holds anything
/// and nobody waits any more.
struct RunPeaks: Sendable {
    /// The most accesses that waited to read at once.
    private(set) var waitingReaders = 0
    /// The most accesses that waited to write at once.
    private(set) var waitingWriters = 0
    /// Whoever was seen to wait longest to read.
    private(set) var longestReader: WaiterStatus?
    /// Whoever was seen to wait longest to write.
    private(set) var longestWriter: WaiterStatus?
    /// The most readers that were in use at once.
    private(set) var readersInUse = 0
    /// The largest size of the write-ahead log, in bytes.
    private(set) var walBytes: UInt64 = 0
    /// The snapshot that was seen at the greatest age.
    private(set) var oldestSnapshot: SnapshotStatus?

    /// Takes a sample in.
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
    /// Keeps what the load aimed at and got done when it ended: a load that is over aims at
    /// nothing, which nobody wants to read beside what it did.
    mutating func keepLoad(of last: Sample?) {
        guard let last else { return }
        knobs = last.knobs
        for index in clients.indices where last.clients.indices.contains(index) {
            clients[index].targetRate = last.clients[index].targetRate
            clients[index].throughput = last.clients[index].throughput
        }
    }
}
