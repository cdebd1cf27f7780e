import Telemetry
import TerminalUI
import Text

/// The peak values of a run.
///
/// Panels show them after the run.
struct RunPeaks: Sendable {
    /// The largest numbers of waiting accesses and of readers in use.
    ///
    /// Once the measured time starts, the numbers cover only the measured time, as in the run's
    /// result.
    private(set) var accesses = AccessPeaks()
    /// The share of the measured time with all readers in use and an access waiting, from 0 to 1,
    /// or `nil` if the library does not measure it.
    var saturation: Double? { elapsedTime > 0 ? min(saturatedTime / elapsedTime, 1) : nil }
    /// The time-weighted share of readers in use during the measured time, from 0 to 1, or `nil` if
    /// the library does not measure it.
    var utilization: Double? { elapsedTime > 0 ? min(usedTime / elapsedTime, 1) : nil }

    /// The total length of the intervals with known times, in nanoseconds.
    private var elapsedTime = 0.0
    /// The time with all readers in use and an access waiting, in nanoseconds.
    private var saturatedTime = 0.0
    /// The mean time for which a reader was in use, in nanoseconds.
    private var usedTime = 0.0
    /// The database's status in the previous sample.
    private var previousStatus: DatabaseStatus?
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
            (elapsedTime, saturatedTime, usedTime) = (0, 0, 0)
            wasEverMeasured = true
        }
        if isMeasured == true || !wasEverMeasured {
            accesses.add(database)
            addShares(of: database)
        }
        isMeasured = sample.isMeasured
        previousStatus = database
        for waiter in database.waitingReaders { Self.update(&longestReader, with: waiter) }
        for waiter in database.waitingWriters { Self.update(&longestWriter, with: waiter) }
        walBytes = max(walBytes, database.wal?.bytes ?? 0)
        for snapshot in database.snapshots
        where snapshot.ageNanoseconds > oldestSnapshot?.ageNanoseconds ?? 0 {
            oldestSnapshot = snapshot
        }
    }

    private mutating func addShares(of database: DatabaseStatus) {
        guard let previousStatus, let last = previousStatus.readers, let now = database.readers,
            previousStatus.takenAtNanoseconds > 0,
            database.takenAtNanoseconds > previousStatus.takenAtNanoseconds
        else { return }
        let time = Double(database.takenAtNanoseconds - previousStatus.takenAtNanoseconds)
        elapsedTime += time
        if let now = now.saturatedNanoseconds, let last = last.saturatedNanoseconds {
            saturatedTime += max(0, Double(now) - Double(last))
        }
        usedTime +=
            max(0, Double(now.busyNanoseconds) - Double(last.busyNanoseconds))
            / Double(max(now.maximum, 1))
    }

    private static func update(_ longest: inout WaiterStatus?, with waiter: WaiterStatus) {
        guard waiter.waitedNanoseconds > longest?.waitedNanoseconds ?? 0 else { return }
        longest = waiter
    }
}

extension Sample {
    /// Copies the load's settings, target rates, and throughputs from the last sample of the
    /// running load, because they are absent after the load ends.
    mutating func copyLoad(from last: Sample?) {
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
            : "At most \(counts.joined(separator: " and ")) \(waitingVerb) at the same time"
    }

    /// The verb phrase that follows the number of waiting accesses.
    var waitingVerb: String { areSampled ? "were observed to wait" : "waited" }
}
