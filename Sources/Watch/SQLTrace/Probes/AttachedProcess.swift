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
/// only with the session's lock.
final class AttachedProcess {
    let process: Int32
    /// The program that the process executes, or `nil` if it has ended.
    let image: ProcessStat.Image?
    /// The time at which the first probe was set.
    let start: UInt64
    /// Whether the process ran before the session started, and may have used the database.
    private let isOld: Bool
    /// A descriptor that is readable when the process has ended, or -1.
    let descriptor: Int32
    private var attachments: [Attachment] = []
    /// The last removal of probes.
    private var removal: Removal?
    private(set) var libraries: Set<Int> = []
    /// The thread with which events end.
    var thread: Int32
    /// The period in which the probes were set, or `nil` while there are none.
    private(set) var window: UInt64?
    var limiter: CostLimiter
    var lostShares = LostShares()
    /// The traps of each thread at the limiter's last decision.
    var traps: [Int32: ProbeKernel.Traps] = [:]
    var counts = ProbeKernel.Counts()
    /// The time of the last execution on a watched database.
    var lastUse: UInt64
    /// The time that the last removal of probes has taken so far, in nanoseconds.
    var removalDelay: UInt64 = 0
    private var windowCount = 0
    /// The time with probes in earlier windows, in nanoseconds.
    private var earlierTime: UInt64 = 0
    /// The processor time at the start of the trace and at the start of the current window, and
    /// that in earlier windows, in seconds.
    private var processorTime = (start: 0.0, window: 0.0, earlier: 0.0)
    /// The processor time that the threads, and in each interval the one that lost most, have lost to
    /// probes, in seconds.
    private var lostSeconds = (all: 0.0, most: 0.0)
    /// The processor time when the process still ran, in seconds.
    private var lastProcessorTime = 0.0
    /// The time with probes, and the time, at the last report.
    private var reported: (attached: UInt64, time: UInt64)
    /// Whether probes were set since the last search for statements that began before.
    var isUnsearched = false
    /// The time of the last search, or `nil` if there was none.
    var lastSearch: UInt64?
    /// Whether the process has had windows without probes.
    private(set) var isSampled = false

    /// Probes that a background thread removes, which takes the kernel 50 ms for a process.
    private final class Removal: Sendable {
        private let probes: Mutex<[Attachment]>
        private let group = DispatchGroup()
        /// Removals at the same time wait for the same events in the kernel.
        private static let queue = DispatchQueue(label: "poolgauge.probes", attributes: .concurrent)

        init(_ probes: [Attachment]) { self.probes = Mutex(probes) }

        func start(completion: @escaping @Sendable () -> Void = {}) {
            Self.queue.async(group: group) {
                self.probes.withLock { $0 = [] }
                completion()
            }
        }

        var hasEnded: Bool { group.wait(timeout: .now()) == .success }
        func wait() { group.wait() }
    }

    init(_ process: Int32, limit: Double, isOld: Bool, at now: UInt64) {
        self.process = process
        image = ProcessStat.image(of: process)
        self.isOld = isOld
        thread = process
        start = now
        lastUse = now
        descriptor = poolgauge_process_descriptor(process)
        limiter = CostLimiter(limit: limit, at: now)
        reported = (0, now)
        processorTime.start = Self.processorTime(of: process)
        processorTime.window = processorTime.start
    }

    /// Returns the processor time of a process, in seconds, or 0 if it has ended.
    private static func processorTime(of process: Int32) -> Double {
        var time = timespec()
        // The clock of another process (clock_getcpuclockid(3)).
        guard clock_gettime(clockid_t(~process << 3 | 2), &time) == 0 else { return 0 }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
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
        isUnsearched = true
        // All executions of a process that has just opened the database are counted.
        guard window == nil else { return }
        window = isSampled || isOld ? monotonicNanoseconds() : start
        windowCount += 1
        processorTime.window = Self.processorTime(of: process)
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
        processorTime.earlier += max(
            0,
            max(lastProcessorTime, Self.processorTime(of: process)) - processorTime.window
        )
        window = nil
        isSampled = true
        let process = process
        removal.start { forget(process) }
    }

    /// Waits until ``detach(at:forget:)`` has removed the probes.
    func waitForRemoval() { removal?.wait() }

    /// Prepares to set all probes again, because the thread with the events has ended.
    func replaceProbes() {
        let removal = Removal(attachments)
        attachments = []
        libraries = []
        removal.start()
    }

    func addLost(_ times: [Int32: Double]) {
        lostSeconds.all += times.values.reduce(0, +) / 1e9
        lostSeconds.most += (times.values.max() ?? 0) / 1e9
        lastProcessorTime = max(lastProcessorTime, Self.processorTime(of: process))
    }

    /// Returns by which factors the true number of executions may exceed the counted one.
    func sampling(at now: UInt64) -> StatementTable.Sampling {
        let all = Double(max(1, now - min(now, start)))
        let attached = Double(max(1, attachedTime(at: now)))
        var sampling = StatementTable.Sampling(
            byTime: all / attached,
            byProcessorTime: all / attached,
            byRestTime: all / attached,
            windows: windowCount
        )
        let processor = max(lastProcessorTime, Self.processorTime(of: process))
        let inWindow = window == nil ? 0 : processor - processorTime.window
        // The cost is an estimate.
        let lost = 1.15 * lostSeconds.all
        sampling.byRestTime = all / max(attached - 1.15e9 * lostSeconds.most, attached / 20)
        let used = processorTime.earlier + inWindow - lost
        let total = processor - processorTime.start - lost
        if used > 0, total > used { sampling.byProcessorTime = total / used }
        return sampling
    }

    /// Whether an event at a time belongs to the time with probes.
    func includes(_ time: UInt64) -> Bool { window.map { time >= $0 } ?? false }

    /// The total time with probes, in nanoseconds.
    func attachedTime(at now: UInt64) -> UInt64 {
        earlierTime + (window.map { now - min(now, $0) } ?? 0)
    }

    /// The minimum time with probes from which to compute a rate, in nanoseconds.
    private static let minimumTime: UInt64 = 100_000_000

    /// Returns the time since the last report with a rate in which executions were counted, in
    /// seconds, or `nil` if it is too short for a rate.
    ///
    /// In that case, the period continues.
    ///
    /// - Parameters:
    ///   - now: The time on the monotonic clock, in nanoseconds.
    ///   - last: The time of the last report.
    /// - Returns: The time.
    func endPeriod(at now: UInt64, since last: UInt64) -> Double? {
        if !isSampled, !isOld, start > last { return Double(now - min(now, last)) / 1e9 }
        let attached = attachedTime(at: now)
        let traced = attached - min(attached, reported.attached)
        guard !isSampled || traced >= Self.minimumTime else { return nil }
        reported = (attached, now)
        return Double(traced) / 1e9
    }
}

/// The probes on the functions of one library in one process.
///
/// The probes slow down no other process that uses the library. The kernel removes them when their
/// descriptors are closed, which takes 50 ms for each link and 110 ms for each event.
struct Attachment: Sendable {
    /// The links, or the events, in the order in which to remove them.
    private let probes: [KernelObject]

    /// The functions whose entries are probed, grouped by what the programs do.
    private static let functions = [
        ["step"], ["reset", "finalize", "exec"], ["close", "close_v2"],
    ]

    /// Sets the probes.
    ///
    /// - Parameters:
    ///   - process: The process.
    ///   - thread: A living thread of the process.
    ///   - descriptor: The descriptor of the library's file.
    ///   - points: The positions of the probes.
    ///   - programs: The programs for the library.
    ///   - hasReturns: Whether to probe the return of `sqlite3_step`.
    ///   - way: How to set probes.
    /// - Throws: A ``TraceError`` if the kernel rejects a probe.
    init(
        _ process: Int32,
        thread: Int32,
        to descriptor: Int32,
        at points: [String: SQLiteLibrary.ProbePoint],
        _ programs: ProbeKernel.Programs,
        hasReturns: Bool,
        by way: ProbeSupport.Way
    ) throws(TraceError) {
        // The descriptor refers to the mapped file even if the file was removed or replaced.
        let path = "/proc/self/fd/\(descriptor)"
        var probes: [KernelObject] = []
        func add(_ probe: Int32, _ code: Int32) throws(TraceError) {
            guard probe >= 0 else { throw ProbeSupport.error("a probe", code: code) }
            probes.insert(KernelObject(probe), at: 0)
        }
        let returns = hasReturns ? points["sqlite3_step"].map { [$0.entry] } ?? [] : []
        let entries = Self.functions.map { group in
            group.compactMap { points["sqlite3_" + $0]?.offset }
        }
        // Every recorded entry must have a recorded return, so returns are probed first, and their
        // probes are removed last.
        switch way {
        case .session, .link:
            func link(
                _ program: KernelObject,
                type: UInt32,
                groups: [[UInt64]],
                isReturn: Bool = false
            ) throws(TraceError) {
                let link = ProbeSupport.createLink(
                    program,
                    type: type,
                    path: path,
                    offsets: groups.flatMap { $0 },
                    cookies: groups.enumerated()
                        .flatMap { group in group.element.map { _ in UInt64(group.offset) } },
                    process: process,
                    isReturn: isReturn
                )
                try add(link, -link)
            }
            if let session = programs.session {
                try link(session, type: ProbeSupport.session, groups: entries)
                break
            }
            if !returns.isEmpty {
                try link(
                    programs.stepReturn,
                    type: ProbeSupport.multiple,
                    groups: [returns],
                    isReturn: true
                )
            }
            try link(programs.entries[0], type: ProbeSupport.multiple, groups: entries)
        case .event(let type):
            func open(_ offset: UInt64, _ program: KernelObject, isReturn: Bool) -> Int32 {
                poolgauge_uprobe_open(
                    type,
                    path,
                    offset,
                    thread,
                    isReturn ? 1 : 0,
                    program.descriptor
                )
            }
            for offset in returns {
                try add(open(offset, programs.stepReturn, isReturn: true), errno)
            }
            for (program, offsets) in zip(programs.entries, entries) {
                for offset in offsets { try add(open(offset, program, isReturn: false), errno) }
            }
        }
        self.probes = probes
    }
}
#endif
