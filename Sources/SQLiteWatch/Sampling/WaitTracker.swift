import Findings

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
