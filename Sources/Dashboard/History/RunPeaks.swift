import Telemetry
import TerminalUI

/// The most that was seen of a run: what panels show once it has ended, when nobody holds anything
/// and nobody waits any more.
struct RunPeaks: Sendable {
    /// The most accesses that waited, and readers in use: of the measured time, as in the run's
    /// result, once that has begun.
    private(set) var accesses = AccessPeaks()
    /// The share of the measured time in which all readers were in use and an access waited, in 0…1;
    /// nil where that is not measured.
    var saturation: Double? { elapsed > 0 ? min(saturated / elapsed, 1) : nil }
    /// Time-weighted readers in use over their number in the measured time, in 0…1; nil where that
    /// is not measured.
    var utilization: Double? { elapsed > 0 ? min(used / elapsed, 1) : nil }

    private var elapsed = 0.0
    private var saturated = 0.0
    private var used = 0.0
    private var before: DatabaseStatus?
    /// Whether the time since the last sample counts in the run's result; nil where that is unknown.
    private var isMeasured: Bool?
    private var wasEverMeasured = false
    /// Whoever was seen to wait longest to read.
    private(set) var longestReader: WaiterStatus?
    /// Whoever was seen to wait longest to write.
    private(set) var longestWriter: WaiterStatus?
    /// The largest size of the write-ahead log, in bytes.
    private(set) var walBytes: UInt64 = 0
    /// The snapshot that was seen at the greatest age.
    private(set) var oldestSnapshot: SnapshotStatus?

    /// Takes a sample in.
    mutating func append(_ sample: Sample) {
        let database = sample.database
        if isMeasured == true, !wasEverMeasured {
            accesses = AccessPeaks()
            (elapsed, saturated, used) = (0, 0, 0)
            wasEverMeasured = true
        }
        if isMeasured == true || !wasEverMeasured {
            accesses.add(database)
            addShares(of: database)
        }
        isMeasured = sample.isMeasured
        before = database
        for waiter in database.waitingReaders { Self.keep(waiter, in: &longestReader) }
        for waiter in database.waitingWriters { Self.keep(waiter, in: &longestWriter) }
        walBytes = max(walBytes, database.wal?.bytes ?? 0)
        for snapshot in database.snapshots
        where snapshot.ageNanoseconds > oldestSnapshot?.ageNanoseconds ?? 0 {
            oldestSnapshot = snapshot
        }
    }

    private mutating func addShares(of database: DatabaseStatus) {
        guard let before, let last = before.readers, let now = database.readers,
            before.takenAtNanoseconds > 0,
            database.takenAtNanoseconds > before.takenAtNanoseconds
        else { return }
        let time = Double(database.takenAtNanoseconds - before.takenAtNanoseconds)
        elapsed += time
        saturated += max(0, Double(now.saturatedNanoseconds) - Double(last.saturatedNanoseconds))
        used +=
            max(0, Double(now.busyNanoseconds) - Double(last.busyNanoseconds))
            / Double(max(now.maximum, 1))
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

extension AccessPeaks {
    /// `At most 6 reads and 1 write waited at once`.
    var sentence: String {
        let most = [(waitingReaders, "read", "reads"), (waitingWriters, "write", "writes")]
            .filter { $0.0 > 0 }
            .map { HumanUnits.counted($0.0, $0.1, $0.2) }
        return most.isEmpty
            ? areSampled ? "Nobody was seen to wait" : "Nobody waited"
            : "At most \(most.joined(separator: " and ")) \(waited) at once"
    }

    /// What the accesses did of which these are the numbers.
    var waited: String { areSampled ? "were seen to wait" : "waited" }
}
