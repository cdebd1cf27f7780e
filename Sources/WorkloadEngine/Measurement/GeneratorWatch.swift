import Foundation
import Telemetry

/// What a client's accesses took of the generator's workers.
struct GeneratorLoad {
    /// The client's name.
    var client: String
    /// What a typical access took inside the target, in nanoseconds; nil when too few were timed.
    var typical: UInt64?
    /// The share of the measured time, in 0…1, that a worker was busy with accesses.
    var busyShare: Double
}

/// Watches the generator itself: a load that its own program held back says nothing.
struct GeneratorWatch {
    /// What an access of a target that does nothing costs, in nanoseconds.
    let noop: UInt64
    private let clock: any RunClock
    private let start: UInt64
    private let samplerStart: UInt64
    private let processStart: UInt64
    private let stealStart: (steal: UInt64, total: UInt64)?

    /// The share of the process's processor time from which on the generator was the bottleneck.
    private static let shareLimit = 0.5
    /// The share of one processor below which the generator is no bottleneck: a process that
    /// sleeps most of the time may well spend the rest on looking at the clock.
    private static let workLimit = 0.25
    /// The share of a worker's time that accesses must take for their cost to matter.
    private static let busyLimit = 0.1
    /// The lag of free workers from which on the generator was the bottleneck, in nanoseconds.
    private static let lagLimit: UInt64 = 50_000_000

    /// Starts to watch; call it on the thread that samples.
    init(noop: UInt64, clock: any RunClock) {
        self.noop = noop
        self.clock = clock
        start = clock.now()
        samplerStart = MonotonicClock.threadProcessorTime()
        processStart = MonotonicClock.processProcessorTime()
        stealStart = Self.steal()
    }

    /// What was seen, and why the run is invalid, if it is.
    ///
    /// It takes the number of all accesses that were begun, how late those started whose worker
    /// was free, and what the clients' accesses took.
    func verdict(
        accesses: UInt64,
        freeLag: LatencyHistogram,
        loads: [GeneratorLoad] = []
    ) -> (result: GeneratorResult, reason: String?) {
        let process = MonotonicClock.processProcessorTime() - processStart
        let sampler = MonotonicClock.threadProcessorTime() - samplerStart
        let elapsed = Double(max(1, clock.now() - start))
        let own = Double(sampler) + Double(accesses) * Double(noop)
        let processors = Double(ProcessInfo.processInfo.activeProcessorCount)
        let lag = freeLag.value(at: 99)
        let result = GeneratorResult(
            cpuShare: min(1, own / elapsed / processors).rounded(toDigits: 4),
            lagP99: lag,
            noop: noop,
            stealShare: stealShare()?.rounded(toDigits: 4)
        )
        let reason = Self.reason(
            shareOfProcess: own / Double(max(1, process)),
            shareOfProcessor: own / elapsed,
            lag: lag
        )
        return (result, reason ?? loads.lazy.compactMap { self.reason(of: $0) }.first)
    }

    /// Why what a client's accesses took makes a run invalid; nil when it does not.
    ///
    /// Medians, because a machine with other work stretches some accesses and not the typical one.
    func reason(of load: GeneratorLoad) -> String? {
        guard let typical = load.typical, noop > typical, load.busyShare > Self.busyLimit else {
            return nil
        }
        return "the generator itself used \(HumanUnits.time(noop)) for each access of "
            + "\(load.client), and the database \(HumanUnits.time(typical))"
    }

    /// Why numbers like these make a run invalid, each reason that there is; nil when they do not.
    static func reason(
        shareOfProcess: Double,
        shareOfProcessor: Double,
        lag: UInt64?
    ) -> String? {
        var reasons: [String] = []
        if shareOfProcess > shareLimit, shareOfProcessor > workLimit {
            let percent = Int((min(1, shareOfProcess) * 100).rounded())
            reasons.append(
                "the generator itself used \(percent) % of the processor time of the process"
            )
        }
        if let lag, lag > lagLimit {
            reasons.append(
                "free workers woke up late: 1 % of their accesses started more than "
                    + "\(HumanUnits.time(lag)) after their intended time"
            )
        }
        return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
    }

    private func stealShare() -> Double? {
        guard let stealStart, let now = Self.steal(), now.total > stealStart.total else {
            return nil
        }
        return Double(now.steal - min(now.steal, stealStart.steal))
            / Double(now.total - stealStart.total)
    }

    /// The time that the hypervisor gave to others, and all time, in ticks since the machine
    /// started; nil where the system does not tell.
    private static func steal() -> (steal: UInt64, total: UInt64)? {
        guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8) else {
            return nil
        }
        // "cpu user nice system idle iowait irq softirq steal guest guest_nice": guests are
        // counted in user and nice already.
        let fields = text.prefix { $0 != "\n" }.split(separator: " ")
        let ticks = fields.dropFirst().prefix(8).compactMap { UInt64($0) }
        guard fields.first == "cpu", ticks.count == 8 else { return nil }
        return (ticks[7], ticks.reduce(0, +))
    }
}
