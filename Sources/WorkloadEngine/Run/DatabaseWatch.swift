import Telemetry

/// Collects connection, log, snapshot, and interrupt statistics from a run's database statuses.
///
/// Only the sampling thread uses this value.
struct DatabaseWatch {
    private var last: DatabaseStatus?
    private var first: DatabaseStatus?
    private var latest: DatabaseStatus?
    private var measured: DatabaseStatus?
    private var busy = 0.0
    private var saturated = 0.0
    private var capacity = 0.0
    private var elapsed = 0.0
    private var peaks = AccessPeaks()
    private var oldestSnapshot: UInt64?
    private var peakBytes: UInt64 = 0
    private var hasWAL = false
    /// The growth of the log in measured phases, in bytes.
    private var grownBytes: UInt64 = 0
    private var pins: [PinKey: (bytes: UInt64, nanoseconds: UInt64)] = [:]

    private struct PinKey: Hashable {
        var by: String
        var cause: String
    }

    struct Shares {
        /// The time-weighted share of readers in use, in 0…1.
        var utilization: Double?
        /// The share of time during which all readers were in use and an access waited, in 0…1.
        var saturation: Double?
    }

    /// Adds a status and returns the connection usage since the previous status.
    mutating func add(_ status: DatabaseStatus, isMeasured: Bool) -> Shares {
        defer { last = status }
        if first == nil { first = status }
        latest = status
        if let wal = status.wal { addWAL(wal, at: status, isMeasured) }
        if isMeasured {
            measured = status
            peaks.add(status)
            if let age = status.snapshots.map(\.ageNanoseconds).max() {
                oldestSnapshot = max(oldestSnapshot ?? 0, age)
            }
        }
        return addReaders(status, isMeasured)
    }

    private func elapsed(until status: DatabaseStatus) -> UInt64 {
        guard let last, status.takenAtNanoseconds > last.takenAtNanoseconds else { return 0 }
        return status.takenAtNanoseconds - last.takenAtNanoseconds
    }

    private mutating func addReaders(_ status: DatabaseStatus, _ isMeasured: Bool) -> Shares {
        let time = Double(elapsed(until: status))
        guard let now = status.readers, let before = last?.readers, time > 0, now.maximum > 0 else {
            return Shares()
        }
        let capacity = time * Double(now.maximum)
        let busy = Double(now.busyNanoseconds &- min(now.busyNanoseconds, before.busyNanoseconds))
        let ends = (now.saturatedNanoseconds ?? 0, before.saturatedNanoseconds ?? 0)
        let saturated = Double(ends.0 &- min(ends.0, ends.1))
        if isMeasured {
            self.busy += busy
            self.saturated += saturated
            self.capacity += capacity
            elapsed += time
        }
        return Shares(
            utilization: min(1, busy / capacity),
            saturation: min(1, saturated / time)
        )
    }

    private mutating func addWAL(
        _ wal: WALStatus,
        at status: DatabaseStatus,
        _ isMeasured: Bool
    ) {
        hasWAL = true
        guard isMeasured else { return }
        peakBytes = max(peakBytes, wal.bytes)
        let before = last?.wal?.bytes ?? wal.bytes
        let growth = wal.bytes - min(wal.bytes, before)
        grownBytes += growth
        guard let pin = wal.pin else { return }
        let key = PinKey(by: pin.by.name, cause: pin.cause.rawValue)
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
            utilization: capacity > 0 ? min(1, busy / capacity).rounded(toDigits: 4) : nil,
            saturation: elapsed > 0 ? min(1, saturated / elapsed).rounded(toDigits: 4) : nil,
            waitingReadersPeak: peaks.waitingReaders,
            waitingWritersPeak: peaks.waitingWriters,
            peaksAreSampled: peaks.areSampled ? true : nil,
            acquire: measured?.acquire?.withoutBuckets,
            acquiredAtOnce: measured?.acquiredAtOnce?.rounded(toDigits: 4),
            hold: measured?.hold?.withoutBuckets,
            writerAcquire: measured?.writerAcquire?.withoutBuckets,
            writerAcquiredAtOnce: measured?.writerAcquiredAtOnce?.rounded(toDigits: 4),
            writerHold: measured?.writerHold?.withoutBuckets
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
                    by: key.by,
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
