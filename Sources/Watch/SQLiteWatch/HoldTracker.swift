import Findings

/// A tracker that estimates from samples how long processes have held their locks.
struct HoldTracker: Sendable {
    /// A lock that a process held in an unbroken series of samples.
    struct Hold: Equatable, Sendable {
        /// The time of the first sample in the series.
        var since: UInt64
        /// The time of the first sample in the series that shows a reader behind the end of the
        /// log.
        var behindSince: UInt64?
        var frame: UInt32?
        /// Whether a release between two samples would have been detected.
        var isContinuous: Bool
        /// The number of times that the process's threads have run, at the last sample that
        /// counted them.
        var runs: ProcessRuns?
        /// The time of the first of the samples since which the process has not run.
        var asleepSince: UInt64?
        /// Whether the process ran between two samples, and may have released the lock.
        var hasRun = false
        /// The time of the last sample before which the process ran and then waited.
        ///
        /// A process that only computes is probably still in the same transaction.
        var restedSince: UInt64?

        /// Whether it is proven that the process has not run since ``asleepSince``.
        func isAsleep(at now: UInt64) -> Bool { asleepSince.map { $0 < now } ?? false }

        /// Adds the number of times that the process has run.
        mutating func count(_ current: ProcessRuns?, at now: UInt64) {
            guard let current else { return }
            if let runs, runs.sleeps != current.sleeps { restedSince = now }
            if runs != current {
                if runs != nil { hasRun = true }
                asleepSince = now
            }
            runs = current
        }
    }

    private(set) var holds: [Int32: [HeldLock: Hold]] = [:]
    private var index: WALIndexHeader?
    private var changeCounter: UInt32?

    /// Adds the locks of certain kinds from a sample.
    ///
    /// A tracker must receive each kind either from all samples or from none.
    mutating func update(
        _ observation: Observation,
        of isIncluded: (LockKind) -> Bool = { _ in true }
    ) {
        let new = observation.files.index ?? index
        let counter = observation.files.header?.changeCounter
        let busyMarks = Set(
            observation.locks.values.flatMap { $0.held.compactMap(\.mark) }.filter { $0 > 0 }
        )
        // A new reader starts on an old mark only if all marks are in use.
        let mayJoinOldMark = busyMarks.count >= WALIndexHeader.markCount - 1
        var next: [Int32: [HeldLock: Hold]] = [:]
        for (process, locks) in observation.locks {
            var held: [HeldLock: Hold] = [:]
            for lock in locks.held where isIncluded(lock.kind) {
                var hold =
                    holds[process]?[lock]
                    ?? Hold(since: observation.now, isContinuous: false)
                if wasReleased(lock, index: new, changeCounter: counter) {
                    hold = Hold(since: observation.now, isContinuous: false)
                }
                if lock.kind.isExclusive {
                    hold.count(observation.runs[process], at: observation.now)
                }
                let frame = lock.mark.flatMap { mark in
                    mark == 0 ? 0 : new.flatMap { $0.marks[mark] }
                }
                hold.frame = frame
                let pinned = lock.mark.flatMap { mark in new?.pinnedFrames(mark: mark) } ?? 0
                if pinned == 0 {
                    hold.behindSince = nil
                } else if hold.behindSince == nil {
                    hold.behindSince = observation.now
                }
                hold.isContinuous =
                    switch lock.kind {
                    case .writer, .reserved, .pending, .exclusive:
                        !hold.hasRun && hold.isAsleep(at: observation.now)
                    case .reader:
                        hold.behindSince == hold.since && lock.mark != 0 && !mayJoinOldMark
                    case .checkpoint, .recovery, .shared: false
                    }
                held[lock] = hold
            }
            if !held.isEmpty { next[process] = held }
        }
        holds = next
        index = new
        changeCounter = counter ?? changeCounter
    }

    /// Returns the holds of both trackers, which must track different kinds of locks.
    func merging(_ other: HoldTracker) -> HoldTracker {
        var merged = self
        for (process, locks) in other.holds {
            merged.holds[process, default: [:]].merge(locks) { first, _ in first }
        }
        return merged
    }

    /// Removes all holds.
    ///
    /// Call this method after a gap in the samples.
    mutating func reset() {
        holds = [:]
        index = nil
        changeCounter = nil
    }

    /// Returns whether a commit or checkpoint since the last sample proves that the lock was
    /// released.
    private func wasReleased(
        _ lock: HeldLock,
        index new: WALIndexHeader?,
        changeCounter counter: UInt32?
    ) -> Bool {
        switch lock.kind {
        case .writer:
            // A commit ends the transaction and releases the lock.
            return index.map { old in new.map { $0.change != old.change } ?? false } ?? false
        case .reserved, .pending:
            return changeCounter.map { old in counter.map { $0 != old } ?? false } ?? false
        case .reader:
            guard let old = index, let new, let mark = lock.mark else { return false }
            // A mark can move only while no reader holds it, and a checkpoint can copy frames only
            // while no reader holds mark 0.
            return mark == 0
                ? old.salt1 == new.salt1 && new.backfilled > old.backfilled
                : old.marks[mark] != new.marks[mark] || old.salt1 != new.salt1
        case .checkpoint, .recovery, .shared, .exclusive: return false
        }
    }
}

/// A reader with an old snapshot, which pins frames in the log.
struct Pin {
    var process: Int32
    var mark: Int
    var frame: UInt64
    var frames: UInt64
    var since: UInt64

    /// Returns the readers that pin frames in the log, sorted by number of frames in descending
    /// order.
    static func pins(_ observation: Observation, holds: HoldTracker) -> [Pin] {
        guard let index = observation.files.index else { return [] }
        return holds.holds.flatMap { process, locks in
            locks.compactMap { lock, hold -> Pin? in
                // In a single sample, the mark may have moved after the lock query.
                guard lock.kind == .reader, let mark = lock.mark, let since = hold.behindSince,
                    since < observation.now, let frames = index.pinnedFrames(mark: mark), frames > 0
                else { return nil }
                return Pin(
                    process: process,
                    mark: mark,
                    frame: mark == 0 ? 0 : UInt64(index.marks[mark] ?? 0),
                    frames: UInt64(frames),
                    since: since
                )
            }
        }.sorted { ($0.frames, $1.since, $1.process) > ($1.frames, $0.since, $0.process) }
    }
}

/// A type that tracks the processes that are probably waiting in a busy handler, and the share of
/// checks that found each process waiting.
struct WaitTracker: Sendable {
    private struct Checks: Sendable {
        var count = 0
        var waits = 0
        /// The time of the first of the last checks that all found the process waiting.
        var waitingSince: UInt64?
        var isWaiting: Bool { waitingSince != nil }
        /// The checks of the process while it held a write lock, and those that found it waiting
        /// for the disk.
        var holds = 0
        var syncs = 0
    }

    private var checks: [Int32: Checks] = [:]

    /// Adds a sample's checks.
    ///
    /// If no lock excludes other processes (`isBlocked` is `false`), no process waits and none is
    /// checked.
    mutating func update(_ observation: Observation, isBlocked: Bool) {
        for (process, isWaiting) in observation.waiting {
            checks[process, default: Checks()].count += 1
            if isWaiting { checks[process, default: Checks()].waits += 1 }
        }
        for (process, isSyncing) in observation.syncing {
            checks[process, default: Checks()].holds += 1
            if isSyncing { checks[process, default: Checks()].syncs += 1 }
        }
        for process in checks.keys where observation.waiting[process] != nil || !isBlocked {
            let since = checks[process]?.waitingSince ?? observation.now
            checks[process]?.waitingSince = observation.waiting[process] == true ? since : nil
        }
        // A process that has acquired a write lock since its last check no longer waits for the
        // lock.
        for (process, locks) in observation.locks
        where observation.waiting[process] == nil && locks.held.contains(where: \.kind.isWrite) {
            checks[process]?.waitingSince = nil
        }
    }

    /// Whether each checked process is waiting.
    var states: [Int32: Bool] { checks.mapValues(\.isWaiting) }

    /// Returns the wait of a process for a report, or `nil` if the process was never checked.
    func wait(of process: Int32, at now: UInt64) -> WatchedWait? {
        checks[process].map { checks in
            var wait = WatchedWait(
                isWaiting: checks.isWaiting,
                share: checks.count == 0 ? 0 : Double(checks.waits) / Double(checks.count)
            )
            wait.seconds = checks.waitingSince.map { Double(now - min(now, $0)) / 1e9 }
            return wait
        }
    }

    /// The minimum number of checks from which a share is reported.
    private static let minimumHolds = 5

    /// Returns the share of the checks of a lock holder that found it waiting for the disk, or
    /// `nil` if there are too few checks.
    func syncShare(of process: Int32) -> Double? {
        checks[process].flatMap { checks in
            checks.holds < Self.minimumHolds ? nil : Double(checks.syncs) / Double(checks.holds)
        }
    }

    /// Starts a new interval, keeping the processes that still use the database.
    ///
    /// A process keeps the state of its last check, possibly from an earlier interval.
    mutating func startInterval(keeping isKept: (Int32) -> Bool) {
        checks = checks.filter { isKept($0.key) }.mapValues {
            Checks(waitingSince: $0.waitingSince)
        }
    }
}
