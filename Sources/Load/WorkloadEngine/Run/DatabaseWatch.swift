import Telemetry

/// A monitor that collects connection, log, snapshot, and interrupt statistics from a run's
/// database statuses.
///
/// Only the sampling thread uses this value.
struct DatabaseWatch {
    private var previous: DatabaseStatus?
    private var first: DatabaseStatus?
    private var latest: DatabaseStatus?
    private var lastMeasured: DatabaseStatus?
    /// The time in use, summed over readers, in nanoseconds in measured phases.
    private var busyTime = 0.0
    /// The time during which all readers were in use and an access waited, in nanoseconds in
    /// measured phases.
    private var saturatedTime = 0.0
    /// The available time, summed over readers, in nanoseconds in measured phases.
    private var availableTime = 0.0
    /// The length of the measured phases, in nanoseconds.
    private var measuredTime = 0.0
    private var peaks = AccessPeaks()
    private var oldestSnapshot: UInt64?
    private var peakBytes: UInt64 = 0
    private var hasWAL = false
    /// The growth of the log in measured phases, in bytes.
    private var grownBytes: UInt64 = 0
    private var pins: [PinKey: (bytes: UInt64, nanoseconds: UInt64)] = [:]

    private struct PinKey: Hashable {
        var holder: String
        var cause: String
    }

    struct Shares {
        /// The time-weighted share of readers in use, from 0 to 1.
        var utilization: Double?
        /// The share of time, from 0 to 1, during which all readers were in use and an access
        /// waited.
        var saturation: Double?
    }

    /// Adds a status and returns the connection usage since the previous status.
    mutating func add(_ status: DatabaseStatus, isMeasured: Bool) -> Shares {
        defer { previous = status }
        if first == nil { first = status }
        latest = status
        if let wal = status.wal { addWAL(wal, at: status, isMeasured: isMeasured) }
        if isMeasured {
            lastMeasured = status
            peaks.add(status)
            if let age = status.snapshots.map(\.ageNanoseconds).max() {
                oldestSnapshot = max(oldestSnapshot ?? 0, age)
            }
        }
        return addReaders(status, isMeasured: isMeasured)
    }

    private func elapsed(until status: DatabaseStatus) -> UInt64 {
        guard let previous, status.takenAtNanoseconds > previous.takenAtNanoseconds else {
            return 0
        }
        return status.takenAtNanoseconds - previous.takenAtNanoseconds
    }

    private mutating func addReaders(_ status: DatabaseStatus, isMeasured: Bool) -> Shares {
        let time = Double(elapsed(until: status))
        guard let now = status.readers, let before = previous?.readers, time > 0, now.maximum > 0
        else {
            return Shares()
        }
        let available = time * Double(now.maximum)
        let busy = Double(now.busyNanoseconds &- min(now.busyNanoseconds, before.busyNanoseconds))
        let ends = (now.saturatedNanoseconds ?? 0, before.saturatedNanoseconds ?? 0)
        let saturated = Double(ends.0 &- min(ends.0, ends.1))
        if isMeasured {
            busyTime += busy
            saturatedTime += saturated
            availableTime += available
            measuredTime += time
        }
        return Shares(
            utilization: min(1, busy / available),
            saturation: min(1, saturated / time)
        )
    }

    private mutating func addWAL(
        _ wal: WALStatus,
        at status: DatabaseStatus,
        isMeasured: Bool
    ) {
        hasWAL = true
        guard isMeasured else { return }
        peakBytes = max(peakBytes, wal.bytes)
        let before = previous?.wal?.bytes ?? wal.bytes
        let growth = wal.bytes - min(wal.bytes, before)
        grownBytes += growth
        guard let pin = wal.pin else { return }
        let key = PinKey(holder: pin.by.name, cause: pin.cause.rawValue)
        var sum = pins[key] ?? (0, 0)
        sum.bytes += growth
        sum.nanoseconds += elapsed(until: status)
        pins[key] = sum
    }

    func poolResult() -> PoolResult? {
        guard let latest else { return nil }
        return PoolResult(
            maximumReaderCount: latest.readers?.maximum,
            readersPeak: peaks.readersInUse ?? latest.readers?.peak,
            utilization: availableTime > 0
                ? min(1, busyTime / availableTime).rounded(toDigits: 4) : nil,
            saturation: measuredTime > 0
                ? min(1, saturatedTime / measuredTime).rounded(toDigits: 4) : nil,
            waitingReadersPeak: peaks.waitingReaders,
            waitingWritersPeak: peaks.waitingWriters,
            peaksAreSampled: peaks.areSampled ? true : nil,
            acquire: lastMeasured?.acquire?.withoutBuckets,
            acquiredAtOnce: lastMeasured?.acquiredAtOnce?.rounded(toDigits: 4),
            hold: lastMeasured?.hold?.withoutBuckets,
            writerAcquire: lastMeasured?.writerAcquire?.withoutBuckets,
            writerAcquiredAtOnce: lastMeasured?.writerAcquiredAtOnce?.rounded(toDigits: 4),
            writerHold: lastMeasured?.writerHold?.withoutBuckets
        )
    }

    func walResult() -> WALResult? {
        guard hasWAL else { return nil }
        let finalBytes = latest?.wal?.bytes ?? 0
        return WALResult(
            // Running accesses can grow the log after the last measured sample.
            peakBytes: max(peakBytes, finalBytes),
            finalBytes: finalBytes,
            grownBytes: grownBytes,
            pins: pins.map { key, sum in
                WALResult.Pin(
                    by: key.holder,
                    cause: key.cause,
                    bytes: sum.bytes,
                    seconds: (Double(sum.nanoseconds) / 1e9).rounded(toDigits: 3)
                )
            }.sorted { ($0.seconds, $1.by, $1.cause) > ($1.seconds, $0.by, $0.cause) }
        )
    }

    func snapshotResult() -> SnapshotResult? {
        guard let latest, let first else { return nil }
        return SnapshotResult(
            made: latest.snapshotsMade - min(latest.snapshotsMade, first.snapshotsMade),
            oldestSeconds: oldestSnapshot.map { (Double($0) / 1e9).rounded(toDigits: 3) }
        )
    }

    func interruptResult() -> InterruptStatus? {
        guard let now = latest?.interrupts, let before = first?.interrupts else { return nil }
        var result = InterruptStatus(
            requested: now.requested - min(now.requested, before.requested),
            delivered: now.delivered - min(now.delivered, before.delivered),
            withoutEffect: now.withoutEffect - min(now.withoutEffect, before.withoutEffect)
        )
        result.latency = now.latency
        return result
    }
}
