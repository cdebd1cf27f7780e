import Foundation
import Telemetry

extension DatabaseStatus {
    /// Looks at the gates of a database.
    static func of(
        label: String,
        kind: DatabaseKind,
        path: String?,
        writing: (gate: AccessGate, role: ConnectionRole),
        reading: (gate: AccessGate, role: ConnectionRole)?,
        snapshots: SnapshotRegister?,
        interrupts: InterruptCounter
    ) -> DatabaseStatus {
        let now = monotonicNanoseconds()
        var status = DatabaseStatus(label: label, kind: kind, path: path, takenAtNanoseconds: now)
        let gates = [writing] + (reading.map { [$0] } ?? [])
        for (gate, role) in gates {
            for slot in gate.slots where slot.isOpen || slot.isTaken {
                status.connections.append(
                    slot.probe.status(label: slot.label, role: role, at: now)
                )
            }
            status.waitingReaders += gate.waiters(.read, at: now)
            status.waitingWriters += gate.waiters(.write, at: now)
        }
        let alive = snapshots?.alive ?? []
        status.snapshotsMade = UInt64(snapshots?.madeCount ?? 0)
        status.snapshots = alive.map { $0.snapshotStatus(at: now) }
        status.connections += alive.flatMap(\.gate.slots).map { slot in
            slot.probe.status(label: slot.label, role: .snapshot, at: now)
        }
        let probes = gates.flatMap(\.gate.slots).map(\.probe)
        status.busyCount = probes.map(\.busyCount).reduce(0, +)
        status.interrupts = interrupts.status(
            delivered: probes.map(\.interruptCount).reduce(0, +)
        )
        // A pool's waits and holds are its readers': the writer's would hide them.
        let measured = reading?.gate ?? writing.gate
        let measuredProbes = measured.slots.map(\.probe)
        let waits = measured.acquisitions
        let accesses = measuredProbes.map(\.accessCount).reduce(0, +)
        status.acquire = AtomicHistogram.summary(
            of: [waits.histogram],
            zeros: accesses > waits.count ? accesses - waits.count : 0
        )
        status.hold = AtomicHistogram.summary(of: measuredProbes.map(\.holdHistogram))
        if let reading {
            status.readers = readerPoolStatus(reading.gate, at: now)
        }
        status.isClosed = writing.gate.isClosed
        return status
    }

    private static func readerPoolStatus(_ gate: AccessGate, at now: UInt64) -> ReaderPoolStatus {
        ReaderPoolStatus(
            inUse: gate.slots.filter(\.isTaken).count,
            open: gate.slots.filter(\.isOpen).count,
            maximum: gate.slots.count,
            peak: gate.peak,
            busyNanoseconds: gate.slots.map { $0.probe.heldNanoseconds(at: now) }.reduce(0, +),
            saturatedNanoseconds: gate.saturatedNanoseconds(at: now)
        )
    }

    /// Adds what the write-ahead log looks like.
    ///
    /// Its size comes from `stat`: opening and closing the file would drop the process's locks.
    mutating func addWAL(path: String, index: WALIndexReader) {
        var information = stat()
        guard stat(path + "-wal", &information) == 0 else { return }
        var wal = WALStatus(bytes: UInt64(max(0, information.st_size)))
        if let counts = index.counts() {
            wal.frames = UInt64(counts.frames)
            wal.checkpointedFrames = UInt64(counts.checkpointed)
            wal.pin = pin(frames: counts.frames, checkpointed: counts.checkpointed)
        }
        self.wal = wal
    }

    /// Names who holds the log back: with frames that are not in the database file yet, the
    /// oldest of those who read, when it is old enough for a checkpoint to have come by.
    private func pin(frames: UInt32, checkpointed: UInt32) -> WALPin? {
        guard frames > checkpointed else { return nil }
        let oldest =
            snapshots.map { ($0.origin, $0.ageNanoseconds) }
            + connections.compactMap { connection in
                guard connection.role == .reader, let holder = connection.holder else {
                    return nil
                }
                return connection.heldNanoseconds.map { (holder, $0) }
            }
        guard let (origin, age) = oldest.max(by: { $0.1 < $1.1 }), age >= 100_000_000 else {
            return nil
        }
        return WALPin(by: origin, cause: .oldReader, ageNanoseconds: age)
    }
}
