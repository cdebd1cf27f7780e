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
