import Telemetry
import TerminalUI

/// The peak values of a run.
///
/// Panels show them after the run.
struct RunPeaks: Sendable {
    /// The largest numbers of waiting accesses and of readers in use.
    ///
    /// Once the measured time starts, the numbers cover only the measured time, as in the run's
    /// result.
    private(set) var accesses = AccessPeaks()
    /// The share of the measured time with all readers in use and an access waiting, in 0…1, or
    /// `nil` if the library does not measure it.
    var saturation: Double? { elapsed > 0 ? min(saturated / elapsed, 1) : nil }
    /// The time-weighted share of readers in use during the measured time, in 0…1, or `nil` if the
    /// library does not measure it.
    var utilization: Double? { elapsed > 0 ? min(used / elapsed, 1) : nil }

    private var elapsed = 0.0
    private var saturated = 0.0
    private var used = 0.0
    private var before: DatabaseStatus?
    /// Whether the time after the last sample is part of the run's result, or `nil` if unknown.
    private var isMeasured: Bool?
    private var wasEverMeasured = false
    private(set) var longestReader: WaiterStatus?
    private(set) var longestWriter: WaiterStatus?
    /// The largest size of the write-ahead log, in bytes.
    private(set) var walBytes: UInt64 = 0
    /// The snapshot that reached the greatest age.
    private(set) var oldestSnapshot: SnapshotStatus?

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
        if let now = now.saturatedNanoseconds, let last = last.saturatedNanoseconds {
            saturated += max(0, Double(now) - Double(last))
        }
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
    /// Copies target rates and throughputs from the last sample of the running load, because they
    /// are absent after the load ends.
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
    /// The peaks as a sentence, such as `At most 6 reads and 1 write waited at the same time`.
    var sentence: String {
        let counts = [(waitingReaders, "read", "reads"), (waitingWriters, "write", "writes")]
            .filter { $0.0 > 0 }
            .map { HumanUnits.counted($0.0, $0.1, $0.2) }
        return counts.isEmpty
            ? areSampled ? "No waiters observed" : "No access waited"
            : "At most \(counts.joined(separator: " and ")) \(waited) at the same time"
    }

    /// The verb phrase that follows the number of waiting accesses.
    var waited: String { areSampled ? "were observed to wait" : "waited" }
}
