/// An error that prevents a session from watching databases.
public struct WatchError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A kind of error.
    ///
    /// Later versions may add kinds.
    public struct Code: Sendable, Equatable {
        private let name: String

        /// The system is not Linux.
        public static let unsupportedSystem = Code(name: "unsupportedSystem")
        /// The helper process could not be started.
        public static let helper = Code(name: "helper")
        /// A path or the number of paths is invalid.
        public static let paths = Code(name: "paths")
        /// `/proc` cannot be read.
        public static let processes = Code(name: "processes")
    }

    /// The kind of the error.
    public var code: Code
    /// A description of the error, with a remedy if one exists.
    public var description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}

/// Options for a watch session.
public struct WatchOptions: Sendable, Equatable {
    /// The maximum mean sampling rate, in samples per second.
    ///
    /// After `n` samples, the standard error of a share `p` is √(p(1−p)/n).
    public var samplesPerSecond: Double = 100
    /// The maximum share of one core that the session and its helpers may use, excluding startup
    /// and report encoding.
    ///
    /// The session lowers the sampling rate to stay below the limit.
    public var processorLimit = 0.025
    /// The seed of the random sampling times, or `nil` for a random seed.
    public var seed: UInt64?
    /// Whether the session reads log frames and counts them by table and index.
    ///
    /// A second helper process reads the frames. Each walk of a database's b-trees takes at most
    /// one second.
    public var readsTables = true
    /// The maximum share of one core for reading frames, averaged over ten seconds.
    public var tablesProcessorLimit = 0.005
    /// Whether reports include this process if it uses a watched database.
    public var includesOwnProcess = false

    /// Creates options with default values.
    public init() {}
}

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
    /// - Returns: `false` if the session already watches the database or has reached
    ///   ``databaseLimit``, or if the path is invalid.
    @discardableResult
    public func add(path: String) -> Bool {
        let path = FilePath.resolved(path)
        guard targets.count < Self.databaseLimit, !targets.contains(where: { $0.path == path }),
            helper.add(path: path, at: monotonicNanoseconds())
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

extension WatchSession {
    /// Samples all databases now and reads `/proc/locks`.
    ///
    /// - Parameter weight: The time that the sample represents, in nanoseconds.
    func takeSample(weight: Double) {
        let now = monotonicNanoseconds()
        let meter = Meter(helper)
        processes.checkNanoseconds = 0
        let probesReaders = isProbeDue(at: now)
        let samples = targets.indices.map { number in
            helper.sample(slot: UInt8(number), probesReaders: probesReaders, at: now)
        }
        identify(samples)
        let beforeList = SystemClock.thread
        let list = list.locks(on: Set(targets.flatMap(\.inodes)))
        let moment = WatchTarget.Moment(
            now: now,
            weight: weight,
            listWeight: weight,
            probesReaders: probesReaders,
            isPresent: true
        )
        observe(samples, list: list, at: moment)
        charge(meter, samples: 1, listCost: SystemClock.thread &- beforeList, lists: 1)
        proceed(at: now)
    }

    private struct Plan {
        var time: UInt64
        var weight: Double
        /// The time that the sample represents among the samples that read `/proc/locks`, or 0 if
        /// this sample does not read the list.
        var listWeight: Double
    }

    /// Takes samples of all databases until `end`.
    ///
    /// Some samples include `/proc/locks`.
    func takeBatch(until end: UInt64, at now: UInt64) {
        if !targets.allSatisfy(\.isIdentified) { takeSample(weight: 0) }
        let meter = Meter(helper)
        processes.checkNanoseconds = 0
        let plans = plan(until: end, at: now)
        let probesReaders = isProbeDue(at: now)
        helper.sendBatch(
            moments: plans.map { .init(time: $0.time, readsList: $0.listWeight > 0) },
            probesReaders: probesReaders,
            at: now
        )
        if !helper.isRunning { SystemClock.sleep(until: plans.last?.time ?? now) }
        let batch = helper.receiveBatch(moments: plans.count, at: monotonicNanoseconds())
        var listCost = batch.listNanoseconds
        var first = 0
        for entry in batch.entries {
            let covered = plans[first...entry.moment]
            let list = entry.locks
            let moment = WatchTarget.Moment(
                now: entry.time,
                weight: covered.reduce(0) { $0 + $1.weight },
                listWeight: list == nil ? 0 : covered.reduce(0) { $0 + $1.listWeight },
                probesReaders: probesReaders && first == 0,
                isPresent: entry == batch.entries.last
            )
            identify(entry.samples)
            let before = list == nil ? 0 : SystemClock.thread
            observe(entry.samples, list: list, at: moment)
            if list != nil { listCost &+= SystemClock.thread &- before }
            first = entry.moment + 1
        }
        charge(
            meter,
            samples: batch.entries.count,
            listCost: listCost,
            lists: batch.entries.count { $0.locks != nil }
        )
        proceed(at: monotonicNanoseconds())
    }

    private func plan(until end: UInt64, at now: UInt64) -> [Plan] {
        var plans: [Plan] = []
        while schedule.plannedTime < end, plans.count < HelperRequest.momentLimit {
            let readsList = lists.next(group: budget.group)
            plans.append(
                Plan(
                    time: schedule.plannedTime,
                    weight: schedule.weight,
                    listWeight: readsList ? schedule.weight * Double(lists.group) : 0
                )
            )
            schedule.advance(at: max(now, schedule.plannedTime), slot: budget.slot)
        }
        return plans
    }

    private func isProbeDue(at now: UInt64) -> Bool {
        guard now >= nextProbeTime else { return false }
        nextProbeTime = now &+ Self.probePause
        return true
    }

    private func identify(_ samples: [FileSample]) {
        for (number, sample) in samples.enumerated() {
            targets[number].identify(sample, number: number, in: &processes)
        }
    }

    private func observe(_ samples: [FileSample], list: [FileLock]?, at moment: WatchTarget.Moment)
    {
        for (number, sample) in samples.enumerated() {
            targets[number].observe(sample, list: list, at: moment, number: number, in: &processes)
        }
        hasList = list != nil
    }

    /// The processor times at the start of a sample, in nanoseconds.
    private struct Meter {
        var thread = SystemClock.thread
        var helper: UInt64

        init(_ helper: HelperConnection) { self.helper = helper.nanoseconds }
    }

    /// Charges the cost of samples to the budget.
    ///
    /// The cost excludes starting the helper, scanning processes, and checking for waiting threads.
    private func charge(_ meter: Meter, samples: Int, listCost: UInt64, lists: Int) {
        if helper.hasRestarted { processes.scan.exclude(helper.process) }
        let helperCost = isFirstSample ? 0 : helper.nanoseconds &- meter.helper
        isFirstSample = false
        let all = helperCost &+ (SystemClock.thread &- meter.thread)
        let other = listCost &+ processes.checkNanoseconds
        budget.add(
            cost: all &- min(all, other),
            of: samples,
            listCost: listCost,
            of: lists
        )
    }

    /// Continues the process scan and the table counts.
    func proceed(at now: UInt64) {
        processes.proceed(at: now)
        if var tables {
            self.tables = nil
            tables.proceed(at: now) { targets[$0].hasLog }
            processes.scan.exclude(tables.process)
            self.tables = tables
        }
    }
}
#endif

#if !os(Linux)
import Findings

/// A session that watches SQLite databases that other processes use.
///
/// Available only on Linux.
public final class WatchSession {
    /// The maximum number of databases in a session.
    public static let databaseLimit = 64

    /// Throws ``WatchError/Code/unsupportedSystem``, because only Linux lists the locks of all
    /// processes.
    public init(
        paths: [String],
        helper: [String],
        options: WatchOptions = WatchOptions()
    ) throws(WatchError) {
        throw WatchError(
            .unsupportedSystem,
            "databases can be watched only on Linux, which lists the locks of all processes in "
                + "/proc/locks"
        )
    }

    /// Returns `false`.
    @discardableResult
    public func add(path: String) -> Bool { false }

    /// Does nothing.
    public func run(for duration: Duration, until isStopped: () -> Bool = { false }) {}

    /// Does nothing.
    public func sample() {}

    /// Always empty.
    public var states: [(path: String, state: WatchedFile.State, problem: String?)] { [] }

    /// Returns an empty array.
    public func reports() -> [WatchReport] { [] }
}

/// A search that finds SQLite databases.
///
/// Available only on Linux.
public final class DatabaseSearch {
    /// A database that a process has open.
    public struct OpenDatabase: Sendable, Equatable {
        /// The path of the database.
        public var path: String
        /// The IDs of the processes that have the database open.
        public var processes: [Int32]
    }

    /// The result of a search over all processes.
    public struct Result: Sendable, Equatable {
        /// The databases that processes have open.
        public var databases: [OpenDatabase] = []
        /// The limitations of the search, with remedies.
        public var notes: [String] = []
    }

    /// Creates a search that finds nothing.
    public init(helper: [String]) {}

    /// Returns `nil`.
    public func databases(in folder: String) -> [String]? { nil }

    /// Returns an empty result.
    public func openDatabases() -> Result { Result() }
}

/// The process that opens the watched files.
///
/// Available only on Linux.
public enum WatchHelper {
    /// Returns immediately.
    public static func run() {}
}
#endif
