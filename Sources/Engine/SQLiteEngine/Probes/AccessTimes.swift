import CSQLite
import Foundation
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

/// A clock that reads the processor's time-stamp counter instead of calling `clock_gettime`.
///
/// The clock determines the counter's rate itself, and is set by the monotonic clock at least every
/// millisecond. The two therefore differ by about a microsecond. While the system changes the rate of
/// the monotonic clock, they differ by that change within a millisecond, after which this clock
/// determines the rate again. This clock may go back by as much, so do not subtract its times without
/// comparing them. If the kernel does not use the processor's counter as its own clock, this clock is
/// the monotonic clock.
struct TickClock {
    /// The number of nanoseconds for which the counter is used after a reading of the monotonic
    /// clock.
    private static let span = 1e6
    /// The duration of a determination of the rate, in nanoseconds.
    ///
    /// An uncertainty of 100 ns at both ends changes the rate by 0.001%.
    private static let calibration: ClosedRange<UInt64> = 20_000_000...1_000_000_000
    /// The longest duration of a reading of both clocks, in nanoseconds.
    ///
    /// If a thread is interrupted between the readings, they do not belong together.
    private static let longestReading = 1_000.0

    /// Whether the kernel has found that the counters of all cores run at one constant rate.
    ///
    /// Some systems do not permit to read the counter, so the kernel's clock comes first.
    private static let isSupported: Bool = {
        let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
        guard let source = try? String(contentsOfFile: path, encoding: .ascii) else { return false }
        return source.hasPrefix("tsc") && poolgauge_ticks() != 0
    }()

    /// The last readings of both clocks, and the readings at the start of the calibration.
    private var last: (ticks: UInt64, time: UInt64) = (0, 0)
    private var origin: (ticks: UInt64, time: UInt64) = (0, 0)
    /// The number of nanoseconds per tick according to the last calibration, or 0.
    private var rate = 0.0
    /// ``rate`` times 2³², or 0 until two calibrations agree.
    private var factor: UInt64 = 0
    /// The number of ticks after ``last`` for which the counter is used, or 0.
    private var range: UInt64 = 0

    /// Returns the time in nanoseconds on the monotonic clock.
    @inline(__always)
    mutating func now() -> UInt64 {
        guard range != 0 else { return readClock() }
        let elapsed = poolgauge_ticks() &- last.ticks
        // A counter that went back exceeds the range too.
        guard elapsed < range else { return readClock() }
        return last.time &+ (elapsed &* factor) >> 32
    }

    @inline(never)
    private mutating func readClock() -> UInt64 {
        guard Self.isSupported else { return monotonicNanoseconds() }
        let before = poolgauge_ticks()
        let time = monotonicNanoseconds()
        let duration = poolgauge_ticks() &- before
        guard Double(duration) * rate < Self.longestReading else {
            range = 0
            return time
        }
        let reading = (ticks: before &+ duration / 2, time: time)
        if factor != 0, !agrees(reading) { stop() }
        last = reading
        let elapsed = time &- origin.time
        if elapsed > Self.calibration.upperBound {
            origin = last
        } else if elapsed >= Self.calibration.lowerBound {
            calibrate(Double(elapsed) / Double(last.ticks &- origin.ticks))
        }
        range = factor == 0 ? 0 : UInt64(Self.span / rate)
        return time
    }

    /// Whether a reading agrees with the last one, unless that is too old to tell.
    private func agrees(_ reading: (ticks: UInt64, time: UInt64)) -> Bool {
        let elapsed = Double(reading.time &- last.time)
        guard elapsed < Double(Self.calibration.lowerBound) else { return true }
        let error = abs(Double(reading.ticks &- last.ticks) * rate - elapsed)
        return error < Self.longestReading + elapsed / 2_000
    }

    /// Uses the counter if two consecutive calibrations agree.
    ///
    /// They disagree if the computer slept, because only the counter continues then.
    private mutating func calibrate(_ newRate: Double) {
        guard (0.01...100).contains(newRate) else { return stop() }
        factor = abs(newRate - rate) < newRate / 1_000 ? UInt64(newRate * 0x1p32) : 0
        rate = newRate
        origin = last
    }

    /// Stops using the counter until two calibrations agree.
    private mutating func stop() {
        rate = 0
        factor = 0
        origin = (0, 0)
    }
}
