import Telemetry

extension DatabaseStatus {
    static func of(
        label: String,
        kind: DatabaseKind,
        path: String?,
        writing: (gate: AccessGate, role: ConnectionRole),
        reading: (gate: AccessGate, role: ConnectionRole)?,
        snapshots: SnapshotRegistry?,
        interrupts: ConnectionInterrupter
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
        let openSnapshots = snapshots?.openSnapshots ?? []
        status.snapshotsMade = UInt64(snapshots?.createdCount ?? 0)
        status.snapshots = openSnapshots.map { $0.life.status(at: now) }
        status.connections += openSnapshots.flatMap(\.gate.slots).map { slot in
            slot.probe.status(label: slot.label, role: .snapshot, at: now)
        }
        let probes = gates.flatMap(\.gate.slots).map(\.probe)
        status.busyCount = probes.map(\.busyCount).reduce(0, +)
        status.interrupts = interrupts.status(
            delivered: probes.map(\.interruptCount).reduce(0, +)
        )
        status.interrupts?.latency = AtomicHistogram.summary(of: gates.map(\.gate.times.interrupts))
        status.busyWaitNanoseconds = probes.map(\.busyWaitNanoseconds).reduce(0, +)
        status.busyUpgradeCount = probes.map(\.busyUpgradeCount).reduce(0, +)
        status.statement = AtomicHistogram.summary(
            of: gates.map(\.gate.times.statements),
            hasBuckets: true
        )
        status.commit = AtomicHistogram.summary(
            of: gates.map(\.gate.times.commits),
            hasBuckets: true
        )
        status.splits = gates.flatMap { $0.gate.times.splits(role: $0.role) }
        status.openings = openingStatus(gates.map(\.gate))
        if reading != nil {
            let times = Times(of: writing.gate)
            status.writerAcquire = times.acquire
            status.writerAcquiredAtOnce = times.immediateShare
            status.writerHold = times.hold
        }
        // For a pool, these times cover only the readers, because the writer's times would mask
        // the readers' times.
        let times = Times(of: reading?.gate ?? writing.gate)
        status.acquire = times.acquire
        status.acquiredAtOnce = times.immediateShare
        status.hold = times.hold
        if let reading {
            status.readers = readerPoolStatus(reading.gate, at: now)
        }
        // Reads the peaks after the waits, so that each peak includes every recorded wait.
        status.waitingReadersPeak = writing.gate.waiting.reading.peak
        status.waitingWritersPeak = writing.gate.waiting.writing.peak
        status.isClosed = writing.gate.isClosed
        return status
    }

    /// Returns the status of one snapshot or snapshot pool.
    static func of(
        _ snapshot: some LiveSnapshot,
        label: String,
        path: String,
        interrupts: ConnectionInterrupter
    ) -> DatabaseStatus {
        var status = DatabaseStatus.of(
            label: label,
            kind: .snapshot,
            path: path,
            writing: (snapshot.gate, .snapshot),
            reading: nil,
            snapshots: nil,
            interrupts: interrupts
        )
        status.snapshots = [snapshot.life.status(at: status.takenAtNanoseconds)]
        return status
    }

    private static func openingStatus(_ gates: [AccessGate]) -> OpeningStatus {
        OpeningStatus(
            opened: gates.map(\.openings.count).reduce(0, +),
            failed: gates.map(\.failedOpenings).reduce(0, +),
            time: AtomicHistogram.summary(of: gates.map(\.openings), hasBuckets: true)
        )
    }

    private static func readerPoolStatus(_ gate: AccessGate, at now: UInt64) -> ReaderPoolStatus {
        ReaderPoolStatus(
            inUse: gate.slots.filter(\.isTaken).count,
            open: gate.slots.filter(\.isOpen).count,
            maximum: gate.slots.count,
            peak: gate.inUsePeak.load(ordering: .relaxed),
            busyNanoseconds: gate.slots.map { $0.probe.heldNanoseconds(at: now) }.reduce(0, +),
            saturatedNanoseconds: gate.saturatedNanoseconds(at: now)
        )
    }

    /// Adds the state of the write-ahead log and the reason that it cannot shrink.
    mutating func addWAL(
        _ watch: WALWatch,
        writing: AccessGate,
        reading: AccessGate?,
        snapshots: SnapshotRegistry?
    ) {
        let now = takenAtNanoseconds
        let slots = writing.slots + (reading?.slots ?? [])
        var holders = slots.compactMap { $0.probe.logHolder(at: now) }
        var positions: [String: WALPosition] = [:]
        for snapshot in snapshots?.openSnapshots ?? [] {
            let status = snapshot.life.status(at: now)
            for slot in snapshot.gate.slots {
                guard var holder = slot.probe.logHolder(at: now) else { continue }
                holder.origin = status.origin ?? holder.origin
                holder.age = status.ageNanoseconds
                holders.append(holder)
                positions[status.label] = holder.after ?? holder.before
            }
        }
        wal = watch.status(
            slot: writing.slots[0],
            holders: holders,
            writer: writing.slots[0].probe.logWriter(at: now),
            at: now
        )
        guard wal?.frames != nil else { return }
        addPins(positions, in: watch.log)
    }

    /// Adds the number of frames that each snapshot pins.
    ///
    /// A checkpoint copies no frame after the snapshot's position.
    private mutating func addPins(_ positions: [String: WALPosition], in log: WALState) {
        for index in snapshots.indices {
            guard let position = positions[snapshots[index].label] else { continue }
            let frame = min(position.frames(in: log), log.frames)
            snapshots[index].frame = UInt64(frame)
            snapshots[index].pinnedFrames = UInt64(log.frames - frame)
        }
    }
}

extension DatabaseQueue: StatusReporting {}

extension DatabasePool: StatusReporting {}

extension DatabaseWriter {
    /// Runs a passive checkpoint when the writer is free, without blocking the thread.
    ///
    /// - Returns: The number of frames in the log and the number of frames that are now in the
    ///   database file. Both are -1 if the database is not in WAL mode.
    /// - Throws: ``DatabaseError``.
    public func passiveCheckpoint() async throws -> (frames: Int, checkpointed: Int) {
        try await writeWithoutTransaction { db in
            let result = try db.checkpoint()
            return (result.walFrameCount, result.checkpointedFrameCount)
        }
    }
}
