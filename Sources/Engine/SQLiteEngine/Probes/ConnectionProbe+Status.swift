import CSQLite
import Synchronization
import Telemetry

/// The values that ``DatabaseStatus`` reports about a connection. Any thread may read them.
extension ConnectionProbe {
    /// The running step in the latest status, and the time at which a status first reported this
    /// step.
    struct Sighting {
        var step: UInt64 = 0
        var since: UInt64 = 0
    }

    /// Returns the total holding time of accesses until `now`, in nanoseconds.
    func heldNanoseconds(at now: UInt64) -> UInt64 {
        let since = heldSince.load(ordering: .relaxed)
        let current = since == 0 || now < since ? 0 : now - since
        return heldTotal.load(ordering: .relaxed) &+ current
    }

    var interruptCount: UInt64 { interrupts.load(ordering: .relaxed) }

    /// The access that holds the connection or held it last.
    var holder: AccessOrigin? { AccessSite(word: site.load(ordering: .relaxed)).origin }

    var busyCount: UInt64 { busyTotal.load(ordering: .relaxed) }

    /// The number of locks in ``busyCount`` for which SQLite did not call the busy handler.
    var busyUpgradeCount: UInt64 { busyUpgrades.load(ordering: .relaxed) }

    /// The time spent waiting for locks of other connections, in nanoseconds.
    var busyWaitNanoseconds: UInt64 { busyWait.load(ordering: .relaxed) }

    var accessCount: UInt64 { accesses.load(ordering: .relaxed) }

    var holdHistogram: AtomicHistogram { holdTimes }

    var isInsideStatement: Bool { runningStatement.load(ordering: .relaxed) != 0 }

    /// The number of the step that is inside SQLite, or `nil` if there is none.
    var runningStep: UInt64? { isInsideStatement ? steps.load(ordering: .relaxed) : nil }

    func status(label: String, role: ConnectionRole, at now: UInt64) -> ConnectionStatus {
        var status = ConnectionStatus(
            label: label,
            role: role,
            accessCount: accessCount,
            busyCount: busyCount,
            interruptCount: interruptCount
        )
        status.busyWaitNanoseconds = busyWait.load(ordering: .relaxed)
        status.transaction = transactionState
        let activity = Activity(rawValue: activity.load(ordering: .relaxed)) ?? .idle
        switch activity {
        case .idle: return status
        case .opening: status.state = .opening
        case .held: status.state = .closure
        case .committing: status.state = .committing
        }
        status.holder = holder
        let since = heldSince.load(ordering: .relaxed)
        if since != 0 { status.heldNanoseconds = now > since ? now - since : 0 }
        let running = runningStatement.load(ordering: .relaxed)
        let number = running != 0 ? running : lastStatement.load(ordering: .relaxed)
        status.sql = statements[number]
        if running != 0 {
            if activity == .held { status.state = .statement }
            status.sqlNanoseconds = ageOfRunningStep(at: now)
        }
        if isWaitingForLock.load(ordering: .relaxed) { status.state = .waitingForLock }
        return status
    }

    private func ageOfRunningStep(at now: UInt64) -> UInt64 {
        let step = steps.load(ordering: .relaxed)
        return sighting.withLock { sighting in
            if sighting.step != step { sighting = Sighting(step: step, since: now) }
            return now > sighting.since ? now - sighting.since : 0
        }
    }
}

extension ConnectionProbe {
    /// Returns the connection as a holder that may pin the log, or `nil` if it is not reading.
    func logHolder(at now: UInt64) -> WALDiagnosis.Holder? {
        let isRunning = isInsideStatement
        // A running statement may be the access's first statement, which is about to start reading
        // a database state.
        guard transactionState == .read || (isRunning && transactionState != .write) else {
            unreadAt.store(now, ordering: .relaxed)
            unreadAccess.store(accesses.load(ordering: .relaxed), ordering: .relaxed)
            return nil
        }
        let before = positionBefore.load(ordering: .relaxed)
        let after = positionAfter.load(ordering: .relaxed)
        var since = heldSince.load(ordering: .relaxed)
        // An access may hold its connection for a long time before its first statement reads.
        if since != 0, unreadAccess.load(ordering: .relaxed) == accesses.load(ordering: .relaxed) {
            since = max(since, unreadAt.load(ordering: .relaxed))
        }
        let isKnown = before != 0 && after != 0
        return WALDiagnosis.Holder(
            origin: holder ?? AccessOrigin(name: label),
            age: since == 0 || now < since ? 0 : now - since,
            before: before == 0 ? nil : WALPosition(word: before),
            after: isKnown ? WALPosition(word: after) : nil
        )
    }

    /// Returns the connection as a writer, or `nil` if it is not writing.
    func logWriter(at now: UInt64) -> WALDiagnosis.Writer? {
        guard transactionState == .write else { return nil }
        let since = heldSince.load(ordering: .relaxed)
        return WALDiagnosis.Writer(
            origin: holder ?? AccessOrigin(name: label),
            age: since == 0 || now < since ? 0 : now - since
        )
    }
}
