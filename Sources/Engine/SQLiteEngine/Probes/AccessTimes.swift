import Synchronization
import Telemetry

/// The combined times of the accesses through all connections of a gate.
///
/// Any thread may record times.
final class AccessTimes: Sendable {
    /// All accesses that waited.
    let contended = SplitTimes()
    /// A sample of the accesses that did not wait.
    let uncontended = SplitTimes()
    /// The execution times of statements, excluding the time between steps.
    let statements = AtomicHistogram()
    /// The commit times of write transactions.
    let commits = AtomicHistogram()
    /// The times from an interrupt request to the end of the statement.
    let interrupts = AtomicHistogram()
    /// The sampling interval: the probes measure one in `interval` accesses that did not wait.
    let interval: Int

    init(level: Configuration.ProbeLevel = .counters) {
        interval = level == .full ? 1 : 32
    }

    func splits(role: ConnectionRole) -> [AccessSplit] {
        [
            contended.split(role: role, isContended: true, interval: 1),
            uncontended.split(role: role, isContended: false, interval: interval),
        ].compactMap(\.self)
    }
}

final class SplitTimes: Sendable {
    private let count = Atomic<UInt64>(0)
    private let phases = AccessPhase.allCases.map { _ in AtomicHistogram() }

    func record(_ clock: AccessClock) {
        count.wrappingAdd(1, ordering: .relaxed)
        for phase in phases.indices where clock.times[phase] > 0 {
            phases[phase].record(clock.times[phase])
        }
    }

    fileprivate func split(
        role: ConnectionRole,
        isContended: Bool,
        interval: Int
    ) -> AccessSplit? {
        let count = count.load(ordering: .relaxed)
        guard count > 0 else { return nil }
        var split = AccessSplit(
            role: role,
            isContended: isContended,
            interval: interval,
            count: count
        )
        // An access that never entered a phase spent no time in that phase.
        let summary = { [phases] (phase: AccessPhase) in
            AtomicHistogram.summary(of: phases[phase.rawValue], outOf: count)
        }
        split.waiting = summary(.waiting)
        split.opening = summary(.opening)
        split.acquiringState = summary(.acquiringState)
        split.insideSQLite = summary(.insideSQLite)
        split.closure = summary(.closure)
        split.committing = summary(.committing)
        split.notifying = summary(.notifying)
        return split
    }
}

extension AtomicHistogram {
    /// Returns the summary of `count` values, and treats unrecorded values as zero.
    fileprivate static func summary(
        of histogram: AtomicHistogram,
        outOf count: UInt64
    )
        -> LatencySummary?
    {
        let recorded = histogram.count
        return summary(of: [histogram], zeros: count > recorded ? count - recorded : 0)
    }
}

/// A gate's counts at one point in time, which are subtracted from later statuses.
struct AccessBaseline: Sendable {
    /// The waiting times of accesses.
    let waits: AtomicHistogram.Counts
    /// The number of accesses that had to wait.
    let waitCount: UInt64
    /// The holding times of connections.
    let holds: AtomicHistogram.Counts
    let accesses: UInt64

    init(of gate: AccessGate) {
        let acquisitions = gate.acquisitions
        waits = AtomicHistogram.Counts(of: [acquisitions.histogram])
        waitCount = acquisitions.count
        holds = AtomicHistogram.Counts(of: gate.slots.map(\.probe.holdHistogram))
        accesses = gate.slots.map(\.probe.accessCount).reduce(0, +)
    }
}

extension DatabaseStatus {
    /// The waiting and holding times of a gate's accesses since the baseline.
    struct Times {
        var acquire: LatencySummary?
        /// The share of accesses that found a free connection, from 0 to 1.
        var immediateShare: Double?
        var hold: LatencySummary?

        init(of gate: AccessGate) {
            let now = gate.acquisitions
            let before = gate.baseline
            let all = gate.slots.map(\.probe.accessCount).reduce(0, +)
            let accesses = all - min(all, before?.accesses ?? 0)
            let waits = now.count - min(now.count, before?.waitCount ?? 0)
            let free = accesses - min(accesses, waits)
            acquire = AtomicHistogram.summary(
                of: [now.histogram],
                zeros: free,
                without: before?.waits,
                hasBuckets: true
            )
            immediateShare = accesses > 0 ? Double(free) / Double(accesses) : nil
            hold = AtomicHistogram.summary(
                of: gate.slots.map(\.probe.holdHistogram),
                without: before?.holds,
                hasBuckets: true
            )
        }
    }
}

/// A phase of an access.
enum AccessPhase: Int, CaseIterable {
    /// Waiting for a connection.
    case waiting
    /// Waiting for a connection to be opened.
    case opening
    /// Starting the transaction.
    case acquiringState
    /// Preparing or stepping a statement.
    case insideSQLite
    /// Running the caller's closure.
    case closure
    /// Ending the transaction.
    case committing
    /// Notifying observers.
    case notifying
}

/// A clock that divides the time of one access among the access's phases.
///
/// Times are in nanoseconds.
struct AccessClock {
    /// The time spent in each phase, indexed by the phase's raw value.
    private(set) var times = SIMD8<UInt64>()
    private(set) var phase: AccessPhase
    private var phaseStart: UInt64

    init(_ phase: AccessPhase, at now: UInt64) {
        self.phase = phase
        phaseStart = now
    }

    subscript(phase: AccessPhase) -> UInt64 {
        get { times[phase.rawValue] }
        set { times[phase.rawValue] = newValue }
    }

    /// Starts a phase.
    ///
    /// - Returns: The previous phase, to which the caller can return.
    @discardableResult
    mutating func enter(_ next: AccessPhase, at now: UInt64) -> AccessPhase {
        defer { phase = next }
        self[phase] &+= now &- phaseStart
        phaseStart = now
        return phase
    }
}
