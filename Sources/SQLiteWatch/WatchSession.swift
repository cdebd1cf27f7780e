#if os(Linux)
import Findings
import Glibc
import Telemetry

/// A session that watches SQLite databases from outside the processes that use them.
///
/// The session reads `/proc` but does not open the database files. A helper process reads the file
/// headers and queries the locks. Neither process acquires locks or writes to the files.
///
/// Use a session on only one thread, and alternate calls to ``run(for:until:)`` and ``reports()``:
///
/// ```swift
/// let helper = ["/usr/bin/poolgauge", "watch-helper"]
/// let session = try WatchSession(paths: ["app.sqlite"], helper: helper)
/// session.run(for: .seconds(2))
/// for report in session.reports() { print(report.verdict.text) }
/// ```
public final class WatchSession {
    let options: WatchOptions
    let list: LockListFile
    var targets: [WatchTarget]
    var helper: HelperConnection
    var tables: TableHelper?
    var processes: ProcessRegistry
    var schedule: SampleSchedule
    var lists: ListSchedule
    var budget: SampleBudget
    private let start: (monotonic: UInt64, milliseconds: Int64)
    /// The processor time at the last report, and the time of that report.
    private var used: (nanoseconds: UInt64, time: UInt64)
    /// The processor time of the samples in earlier reports, in nanoseconds.
    private var sampled: Double = 0
    private var hasReported = false
    var nextProbeTime: UInt64 = 0
    var isFirstSample = true
    /// Whether the last sample read `/proc/locks`.
    var hasList = false

    /// The time between two queries for read locks, in nanoseconds.
    ///
    /// These queries reveal hidden processes.
    static let probePause: UInt64 = 500_000_000

    /// The maximum fraction of the processor limit that sampling may use.
    private static let sampleShare = 0.8
    /// The fraction of the processor limit that sampling may always use.
    private static let minimumSampleShare = 0.3

    /// The length of a batch of samples, in nanoseconds.
    static let batchLength: UInt64 = 250_000_000

    /// The maximum number of databases in a session.
    public static let databaseLimit = 64

    /// Starts watching databases.
    ///
    /// - Parameters:
    ///   - paths: The database files, which need not exist yet.
    ///   - helper: The path and arguments of a program that calls ``WatchHelper/run()``.
    ///   - options: The session's options.
    /// - Throws: ``WatchError`` if the session cannot start.
    public init(
        paths: [String],
        helper: [String],
        options: WatchOptions = WatchOptions()
    ) throws(WatchError) {
        guard !paths.isEmpty, paths.count <= Self.databaseLimit else {
            throw WatchError(
                .paths,
                "specify 1 to \(Self.databaseLimit) database files, not \(paths.count)"
            )
        }
        list = try LockListFile()
        self.options = options
        let resolved = paths.map(FilePath.resolved)
        targets = resolved.map { WatchTarget(path: $0) }
        self.helper = try HelperConnection(command: helper, paths: resolved)
        let budget = SampleBudget(
            samplesPerSecond: options.samplesPerSecond,
            limit: options.processorLimit * Self.sampleShare
        )
        let now = monotonicNanoseconds()
        var random = SplitMix64(seed: options.seed ?? .random(in: 0 ... .max))
        schedule = SampleSchedule(seed: random.next(), start: now, slot: budget.slot)
        lists = ListSchedule(seed: random.next())
        self.budget = budget
        start = (now, SystemClock.calendarMilliseconds)
        used = (SystemClock.process, now)
        processes = ProcessRegistry(ownProcess: options.includesOwnProcess ? nil : getpid())
        processes.scan.exclude(self.helper.process)
        processes.scan.helperCommand = helper
        if options.readsTables {
            tables = TableHelper(
                command: helper,
                paths: resolved,
                processorLimit: options.tablesProcessorLimit
            )
        }
    }

    /// Adds a database to watch.
    ///
    /// - Returns: `false` if the session already watches the database, has reached
    ///   ``databaseLimit``, or receives no response from its helper. In the last case, a later call
    ///   may succeed.
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

    /// Takes samples at random times.
    ///
    /// - Parameters:
    ///   - duration: The time for which to sample.
    ///   - isStopped: A closure that returns `true` to end early. The session calls the closure
    ///     before each batch of samples, at intervals of about 250 milliseconds.
    public func run(for duration: Duration, until isStopped: () -> Bool = { false }) {
        let parts = duration.components
        let length = max(0, parts.seconds) * 1_000_000_000 + parts.attoseconds / 1_000_000_000
        let end = monotonicNanoseconds() &+ UInt64(max(0, length))
        while !isStopped() {
            let now = monotonicNanoseconds()
            if now >= end { return }
            let batchEnd = min(end, now &+ Self.batchLength)
            if schedule.plannedTime < batchEnd {
                takeBatch(until: batchEnd, at: now)
            } else {
                SystemClock.sleep(until: batchEnd)
                proceed(at: batchEnd)
            }
        }
    }

    /// Takes one sample immediately.
    public func sample() { takeSample(weight: budget.slot) }

    /// The state of each database file at the last sample, and the problem, if any, that prevents
    /// watching.
    public var states: [(path: String, state: WatchedFile.State, problem: String?)] {
        targets.map { target in
            let files = target.monitor.last?.files ?? ObservedFiles()
            return (target.path, files.state, files.problem)
        }
    }

    // MARK: Reports

    /// Returns a report on each database for the interval since the last call.
    public func reports() -> [WatchReport] {
        // A report shows the read locks at the end of its interval. Shares exclude this sample,
        // because its time is not random.
        if !hasList { takeSample(weight: 0) }
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
                    let elapsed = Int64(bitPattern: time &- start.monotonic) / 1_000_000
                    return WatchTime(milliseconds: start.milliseconds + elapsed)
                },
                processorShare: share,
                fileSystem: targets[number].fileSystem,
                notes: general + targets[number].notes + [helper.problem].compactMap(\.self),
                hiddenProcesses: processes.scan.hiddenProcesses.count,
                tables: tables?.counts[number],
                facts: { processes.facts(of: $0) }
            )
        }
    }

    /// Measures this program's processor time since the last report, as a share of one core.
    private func measureUse(at now: UInt64) -> Double {
        let helpers = helper.nanoseconds &+ (tables?.processorNanoseconds ?? 0)
        let total = SystemClock.process &+ helpers
        let elapsed = Double(now - min(now, used.time))
        let share = elapsed > 0 ? Double(total - min(total, used.nanoseconds)) / elapsed : 0
        limitRate(otherShare: share - (budget.totalCost - sampled) / max(elapsed, 1))
        sampled = budget.totalCost
        used = (total, now)
        return share
    }

    /// Limits sampling to the processor time that other work did not use in the last interval.
    private func limitRate(otherShare: Double) {
        defer { hasReported = true }
        // The first interval includes starting the helpers and scanning all processes.
        guard hasReported else { return }
        let remaining = options.processorLimit - max(0, otherShare)
        let minimum = options.processorLimit * Self.minimumSampleShare
        budget.limit = min(max(remaining, minimum), options.processorLimit * Self.sampleShare)
    }
}
#endif
