import Foundation
import Telemetry
import Text

/// The time that workers spend on a client's accesses.
struct GeneratorLoad {
    var client: String
    /// The median time of an access inside the target, in nanoseconds, or `nil` if there are too
    /// few samples.
    var medianTime: UInt64?
    /// The share of the measured time during which workers are busy with accesses, from 0 to 1.
    var busyShare: Double
}

/// A monitor that detects runs in which the load generator itself limits the load.
struct GeneratorWatch {
    /// The cost of an access to a target that does nothing, in nanoseconds.
    let noop: UInt64
    private let clock: any RunClock
    private let start: UInt64
    private let samplerStart: UInt64
    private let processStart: UInt64
    private let stealStart: (steal: UInt64, total: UInt64)?

    /// The share of the process's processor time above which the generator may limit the load.
    private static let shareLimit = 0.5
    /// The share of one processor below which the generator does not limit the load.
    ///
    /// In a process that mostly sleeps, reading the clock may dominate the processor time.
    private static let workLimit = 0.25
    /// The share of a worker's time spent on accesses, above which the generator's cost can make a
    /// run invalid.
    private static let busyLimit = 0.1
    /// The 99th percentile of idle workers' lag above which a run is invalid, in nanoseconds.
    private static let lagLimit: UInt64 = 50_000_000

    /// Starts monitoring on the sampling thread, which must call this initializer.
    init(noop: UInt64, clock: any RunClock) {
        self.noop = noop
        self.clock = clock
        start = clock.now()
        samplerStart = MonotonicClock.threadProcessorTime()
        processStart = MonotonicClock.processProcessorTime()
        stealStart = Self.steal()
    }

    /// Returns the measurements, and the reason that the run is invalid, if any.
    ///
    /// If another process performs the accesses, this process only generates them, and only a late
    /// start makes a run invalid.
    func verdict(
        accesses: UInt64,
        freeLag: LatencyHistogram,
        loads: [GeneratorLoad] = [],
        isSeparate: Bool = false
    ) -> (result: GeneratorResult, reason: String?) {
        let process = MonotonicClock.processProcessorTime() - processStart
        let sampler = MonotonicClock.threadProcessorTime() - samplerStart
        let elapsed = Double(max(1, clock.now() - start))
        let generatorTime = Double(sampler) + Double(accesses) * Double(noop)
        let processors = Double(ProcessInfo.processInfo.activeProcessorCount)
        let lag = freeLag.value(at: 99)
        let result = GeneratorResult(
            cpuShare: min(1, generatorTime / elapsed / processors).rounded(toDigits: 4),
            lagP99: lag,
            noop: noop,
            stealShare: stealShare()?.rounded(toDigits: 4)
        )
        let reason = Self.reason(
            shareOfProcess: isSeparate ? 0 : generatorTime / Double(max(1, process)),
            shareOfProcessor: generatorTime / elapsed,
            lag: lag
        )
        if isSeparate { return (result, reason) }
        return (result, reason ?? loads.lazy.compactMap { self.reason(of: $0) }.first)
    }

    /// Returns the reason that the cost of a client's accesses makes a run invalid, if any.
    ///
    /// This method compares medians, because other work on the machine slows only some accesses.
    func reason(of load: GeneratorLoad) -> String? {
        guard let medianTime = load.medianTime, noop > medianTime,
            load.busyShare > Self.busyLimit
        else { return nil }
        return "the generator itself used \(ReportUnits.time(noop)) per access of "
            + "\(load.client), but the database only \(ReportUnits.time(medianTime))"
    }

    /// Returns the reasons that these numbers make a run invalid, or `nil` if the run is valid.
    static func reason(
        shareOfProcess: Double,
        shareOfProcessor: Double,
        lag: UInt64?
    ) -> String? {
        var reasons: [String] = []
        if shareOfProcess > shareLimit, shareOfProcessor > workLimit {
            let percent = Int((min(1, shareOfProcess) * 100).rounded())
            reasons.append(
                "the generator itself used \(percent)% of the processor time of the process"
            )
        }
        if let lag, lag > lagLimit {
            reasons.append(
                "idle workers woke late: 1% of their accesses started more than "
                    + "\(ReportUnits.time(lag)) after their intended time"
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

    /// Returns the stolen time and the total time since the machine started, in ticks, or `nil`
    /// if the system does not report the times.
    private static func steal() -> (steal: UInt64, total: UInt64)? {
        guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8) else {
            return nil
        }
        // The fields after "cpu" are user, nice, system, idle, iowait, irq, softirq, steal,
        // guest, and guest_nice. The fields user and nice already include the guest times.
        let fields = text.prefix { $0 != "\n" }.split(separator: " ")
        let ticks = fields.dropFirst().prefix(8).compactMap { UInt64($0) }
        guard fields.first == "cpu", ticks.count == 8 else { return nil }
        return (ticks[7], ticks.reduce(0, +))
    }
}
