import Telemetry

/// What a gate had counted at a moment: later waits and holds are what came since then.
struct AccessBaseline: Sendable {
    /// The waits of those who had to wait.
    let waits: AtomicHistogram.Counts
    /// How many had to wait.
    let waitCount: UInt64
    /// How long connections were held.
    let holds: AtomicHistogram.Counts
    /// How many accesses there were.
    let accesses: UInt64

    /// Looks at a gate.
    init(of gate: AccessGate) {
        let acquisitions = gate.acquisitions
        waits = AtomicHistogram.Counts(of: [acquisitions.histogram])
        waitCount = acquisitions.count
        holds = AtomicHistogram.Counts(of: gate.slots.map(\.probe.holdHistogram))
        accesses = gate.slots.map(\.probe.accessCount).reduce(0, +)
    }
}

extension DatabaseStatus {
    /// How long a gate's accesses waited and held, since its baseline.
    struct Times {
        var acquire: LatencySummary?
        /// The share of accesses that found a connection free, in 0…1.
        var atOnce: Double?
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
                without: before?.waits
            )
            atOnce = accesses > 0 ? Double(free) / Double(accesses) : nil
            hold = AtomicHistogram.summary(
                of: gate.slots.map(\.probe.holdHistogram),
                without: before?.holds
            )
        }
    }
}

extension DatabasePool {
    /// Restarts the waits, holds and peaks of ``status()``.
    package func restartTimes() {
        writer.restartTimes()
        readers.restartTimes()
    }
}

extension DatabaseQueue {
    /// Restarts the waits, holds and peaks of ``status()``.
    package func restartTimes() {
        gate.restartTimes()
    }
}
