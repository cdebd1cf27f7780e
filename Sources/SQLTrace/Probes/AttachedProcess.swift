#if os(Linux)
import CTrace
import Dispatch
import Glibc
import SQLiteWatch
import Synchronization
import Telemetry

/// A process with probes.
///
/// While the process loses more than the limit of its time, it has probes only in windows. The
/// object measures the time with probes, from which the rates of the process are computed. Use it
/// only on the session's thread.
final class AttachedProcess {
    let process: Int32
    let start: UInt64
    /// A descriptor that is readable when the process has ended, or -1.
    let descriptor: Int32
    private var attachments: [Attachment] = []
    /// The last removal of probes.
    private var removal: Removal?
    private(set) var libraries: Set<Int> = []
    /// The period in which the probes were set, or `nil` while there are none.
    private(set) var window: UInt64?
    var limiter: CostLimiter
    var lostShares = LostShares()
    /// The traps of each thread at the limiter's last decision.
    var traps: [Int32: ProbeKernel.Traps] = [:]
    var counts = ProbeKernel.Counts()
    /// The time that the last removal of probes has taken so far, in nanoseconds.
    var removalDelay: UInt64 = 0
    /// The time with probes in earlier windows, in nanoseconds.
    private var earlierTime: UInt64 = 0
    /// The time with probes, and the time, at the last report.
    private var reported: (attached: UInt64, time: UInt64)
    /// Whether the process has had windows without probes.
    private(set) var isSampled = false

    /// Probes that a background thread removes.
    private final class Removal: Sendable {
        private let probes: Mutex<[Attachment]>
        private let isDone = Atomic(false)

        init(_ probes: [Attachment]) { self.probes = Mutex(probes) }

        var hasEnded: Bool { isDone.load(ordering: .acquiring) }

        func run() { probes.withLock { $0 = [] } }
        func end() { isDone.store(true, ordering: .releasing) }
    }

    /// The queue on which the kernel removes probes, which takes 0.2 s for a process.
    private static let removals = DispatchQueue(label: "poolgauge.probes")

    init(_ process: Int32, limit: Double, at now: UInt64) {
        self.process = process
        start = now
        descriptor = poolgauge_process_descriptor(process)
        limiter = CostLimiter(limit: limit, at: now)
        reported = (0, now)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    var isAttached: Bool { window != nil }
    var canAttach: Bool { removal?.hasEnded ?? true }

    /// Sets the probes of a library.
    func add(
        _ entry: TracedLibraries.Entry,
        _ attach: () throws(TraceError) -> Attachment
    ) throws(TraceError) {
        guard libraries.insert(entry.number).inserted else { return }
        attachments.append(try attach())
        if window == nil { window = isSampled ? monotonicNanoseconds() : start }
    }

    /// Removes the probes in the background.
    ///
    /// - Parameters:
    ///   - now: The time on the monotonic clock, in nanoseconds.
    ///   - forget: A closure that discards what the kernel stores about the process. It runs after
    ///     all probes are removed.
    func detach(at now: UInt64, forget: @escaping @Sendable (Int32) -> Void) {
        guard !attachments.isEmpty else { return }
        let removal = Removal(attachments)
        self.removal = removal
        attachments = []
        libraries = []
        if let window { earlierTime += now - min(now, window) }
        window = nil
        isSampled = true
        let process = process
        Self.removals.async {
            removal.run()
            forget(process)
            removal.end()
        }
    }

    /// Whether an event at a time belongs to the time with probes.
    func includes(_ time: UInt64) -> Bool { window.map { time >= $0 } ?? false }

    /// The total time with probes, in nanoseconds.
    func attachedTime(at now: UInt64) -> UInt64 {
        earlierTime + (window.map { now - min(now, $0) } ?? 0)
    }

    /// The minimum time with probes from which to compute a rate, in nanoseconds.
    private static let minimumTime: UInt64 = 100_000_000

    /// Returns the time with probes since the last report with a rate, in seconds, or `nil` if it
    /// is too short for a rate.
    ///
    /// In that case, the period continues.
    func endPeriod(at now: UInt64) -> Double? {
        let attached = attachedTime(at: now)
        let traced = attached - min(attached, reported.attached)
        guard !isSampled || traced >= Self.minimumTime else { return nil }
        reported = (attached, now)
        return Double(traced) / 1e9
    }
}
#endif
