import Telemetry

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
