#if os(Linux)
import Glibc
import Telemetry

/// Watches SQLite databases that other processes use, from outside.
///
/// It opens none of the databases' files: it reads `/proc`, and a helper process reads the headers
/// of the files and queries their locks. It sets no lock and writes nothing.
///
/// A session belongs to one thread. Call ``run(for:until:)``, then ``reports()``, in turns:
///
/// ```swift
/// let session = try WatchSession(paths: ["app.sqlite"], helper: ["/usr/bin/poolgauge", "watch-helper"])
/// session.run(for: .seconds(2))
/// for report in session.reports() { print(report.verdict.text) }
/// ```
public final class WatchSession {
    // What is not private here, the extension with the samples uses.
    let options: WatchOptions
    let lockList: Int32
    var list = LockList()
    var targets: [WatchTarget]
    var helper: HelperConnection
    var tables: TableHelper?
    var processes: ProcessRegister
    var schedule: SampleSchedule
    var lists: ListSchedule
    var budget: SampleBudget
    private let start: (monotonic: UInt64, milliseconds: Int64)
    private var used: (nanoseconds: UInt64, at: UInt64)
    /// Processor time of the samples of earlier reports, in nanoseconds.
    private var sampled: Double = 0
    private var hasReported = false
    var nextProbe: UInt64 = 0
    var isFirstSample = true
    /// Whether the last sample read the list of all locks.
    var hasList = false

    /// Nanoseconds between two queries of the locks to read, which show those of hidden processes.
    static let probePause: UInt64 = 500_000_000

    /// The part of the processor limit that samples may use, at most and at least.
    private static let sampleShare = 0.8
    private static let leastSampleShare = 0.3

    /// The time in which the helper samples by itself, in nanoseconds.
    static let batchLength: UInt64 = 100_000_000

    /// The longest list of locks that is read, in bytes.
    static let listLimit = 1 << 24

    /// The most databases that one session watches.
    public static let databaseLimit = 64

    /// Starts to watch.
    ///
    /// - Parameters:
    ///   - paths: The database files; they may appear later.
    ///   - helper: The command, a path and its arguments, of a program that calls
    ///     ``WatchHelper/run()``.
    ///   - options: How to watch.
    /// - Throws: ``WatchError``.
    public init(
        paths: [String],
        helper: [String],
        options: WatchOptions = WatchOptions()
    ) throws(WatchError) {
        guard !paths.isEmpty, paths.count <= Self.databaseLimit else {
            throw WatchError(.paths, "name 1 to \(Self.databaseLimit) database files")
        }
        lockList = open("/proc/locks", O_RDONLY | O_CLOEXEC)
        guard lockList >= 0 else {
            throw WatchError(
                .processes,
                "/proc/locks cannot be read (\(String(cString: strerror(errno)))): is /proc mounted?"
            )
        }
        self.options = options
        let resolved = paths.map(FilePath.resolved)
        targets = resolved.map { WatchTarget(path: $0) }
        do { self.helper = try HelperConnection(command: helper, paths: resolved) } catch {
            close(lockList)
            throw error
        }
        let budget = SampleBudget(
            samplesPerSecond: options.samplesPerSecond,
            limit: options.processorLimit * Self.sampleShare
        )
        let now = monotonicNanoseconds()
        var random = RandomBits(seed: options.seed ?? .random(in: 0 ... .max))
        schedule = SampleSchedule(seed: random.next(), start: now, slot: budget.slot)
        lists = ListSchedule(seed: random.next())
        self.budget = budget
        start = (now, SystemClock.calendarMilliseconds)
        used = (SystemClock.process, now)
        processes = ProcessRegister(ownProcess: options.includesOwnProcess ? nil : getpid())
        processes.scan.exclude(self.helper.process)
        if options.readsTables {
            tables = TableHelper(
                command: helper,
                paths: resolved,
                processorLimit: options.tablesProcessorLimit
            )
        }
    }

    deinit { close(lockList) }

    /// Watches one more database.
    ///
    /// - Returns: false when it is watched already, when the session has ``databaseLimit``, or when
    ///   its helper does not answer; a later call may succeed then.
    @discardableResult
    public func add(path: String) -> Bool {
        let path = FilePath.resolved(path)
        guard targets.count < Self.databaseLimit, !targets.contains(where: { $0.path == path }),
            helper.add(path: path)
        else { return false }
        targets.append(WatchTarget(path: path))
        tables?.add(path: path)
        return true
    }

    /// Samples at random moments.
    ///
    /// - Parameters:
    ///   - duration: For how long.
    ///   - isStopped: Called after each sample; returns true to end early.
    public func run(for duration: Duration, until isStopped: () -> Bool = { false }) {
        let parts = duration.components
        let length = max(0, parts.seconds) * 1_000_000_000 + parts.attoseconds / 1_000_000_000
        let end = monotonicNanoseconds() &+ UInt64(max(0, length))
        while !isStopped() {
            let now = monotonicNanoseconds()
            if now >= end { return }
            let until = min(end, now &+ Self.batchLength)
            if schedule.planned < until {
                takeBatch(until: until, at: now)
            } else {
                SystemClock.sleep(until: until)
                proceed(at: until)
            }
        }
    }

    /// Samples once, now.
    public func sample() { take(weight: budget.slot) }

    /// Whether each file can be watched, as of the last sample, and why not.
    public var states: [(path: String, state: WatchedFile.State, problem: String?)] {
        targets.map { target in
            let files = target.monitor.last?.files ?? ObservedFiles()
            return (target.path, files.state, files.problem)
        }
    }

    // MARK: Reports

    /// The reports on the interval since the last ones, one for each database.
    public func reports() -> [WatchReport] {
        // A report shows the locks to read as of its end. No share counts this sample, whose moment
        // is not random.
        if !hasList { take(weight: 0) }
        if var tables {
            self.tables = nil
            tables.complete(at: monotonicNanoseconds()) { targets[$0].hasLog }
            self.tables = tables
        }
        let now = monotonicNanoseconds()
        let share = measureUse(at: now)
        processes.measure(Set(targets.flatMap(\.monitor.processes)), at: now)
        let (start, processes, tables) = (start, processes, tables)
        let general = processes.notes
        return targets.indices.map { number in
            targets[number].monitor.report(
                at: now,
                calendar: { time in
                    let distance = Int64(bitPattern: time &- start.monotonic) / 1_000_000
                    return WatchTime(milliseconds: start.milliseconds + distance)
                },
                processorShare: share,
                fileSystem: targets[number].fileSystem,
                notes: general + targets[number].notes + [helper.problem].compactMap(\.self),
                tables: tables?.counts[number],
                facts: { processes.facts(of: $0) }
            )
        }
    }

    /// This program's processor time since the last report, as a share of one core.
    private func measureUse(at now: UInt64) -> Double {
        let helpers = helper.nanoseconds &+ (tables?.nanoseconds ?? 0)
        let total = SystemClock.process &+ helpers
        let elapsed = Double(now - min(now, used.at))
        let share = elapsed > 0 ? Double(total - min(total, used.nanoseconds)) / elapsed : 0
        limitRate(otherShare: share - (budget.total - sampled) / max(elapsed, 1))
        sampled = budget.total
        used = (total, now)
        return share
    }

    /// Leaves to samples what scans, checks, tables and reports did not use in the last interval.
    private func limitRate(otherShare: Double) {
        defer { hasReported = true }
        // The first interval contains the start of the helpers and a scan of all processes.
        guard hasReported else { return }
        let left = options.processorLimit - max(0, otherShare)
        let least = options.processorLimit * Self.leastSampleShare
        budget.limit = min(max(left, least), options.processorLimit * Self.sampleShare)
    }
}
#endif
