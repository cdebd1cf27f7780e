#if os(Linux)
import Glibc
import Telemetry

/// Watches SQLite databases that other processes use, from outside.
///
/// It opens none of the databases' files: it reads `/proc`, and a helper process reads the headers
/// of the files. It sets no lock and writes nothing.
///
/// A session belongs to one thread. Call ``run(for:until:)``, then ``reports()``, in turns:
///
/// ```swift
/// let session = try WatchSession(paths: ["app.sqlite"], helper: ["/usr/bin/poolgauge", "watch-helper"])
/// session.run(for: .seconds(2))
/// for report in session.reports() { print(report.verdict.text) }
/// ```
public final class WatchSession {
    /// A watched database.
    private struct Target {
        var path: String
        var monitor: DatabaseMonitor
        var mount: MountTable.Mount?
        var fileSystem: FileSystemStatus?
        var identity: FileIdentity?
        var indexIdentity: FileIdentity?
        var database: LockIdentity?
        var index: LockIdentity?
        var hasHiddenHolder = false
    }

    private let options: WatchOptions
    private let lockList: Int32
    private var targets: [Target]
    private var helper: HelperConnection
    private var tables: TableHelper?
    private var processes: ProcessRegister
    private var intervals: RandomIntervals
    private var rate: SampleRate
    private var nextSample: UInt64
    private let start: (monotonic: UInt64, milliseconds: Int64)
    private var used: (nanoseconds: UInt64, at: UInt64)
    /// Processor time of the samples of earlier reports, in nanoseconds.
    private var sampled: Double = 0
    private var hasReported = false
    private var nextProbe: UInt64 = 0
    private var isFirstSample = true

    /// Nanoseconds between two queries of the locks, which show those of hidden processes.
    private static let probePause: UInt64 = 200_000_000

    /// The part of the processor limit that samples may use, at most and at least.
    private static let sampleShare = 0.8
    private static let leastSampleShare = 0.3

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
        let resolved = paths.map(Self.resolved)
        targets = resolved.map { Target(path: $0, monitor: DatabaseMonitor(path: $0)) }
        do { self.helper = try HelperConnection(command: helper, paths: resolved) } catch {
            close(lockList)
            throw error
        }
        intervals = RandomIntervals(seed: options.seed ?? .random(in: 0 ... .max))
        rate = SampleRate(
            samplesPerSecond: options.samplesPerSecond,
            limit: options.processorLimit * Self.sampleShare
        )
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let now = monotonicNanoseconds()
        start = (now, Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
        nextSample = now
        used = (Self.processorNanoseconds(), now)
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
        let path = Self.resolved(path)
        guard targets.count < Self.databaseLimit, !targets.contains(where: { $0.path == path }),
            helper.add(path: path)
        else { return false }
        targets.append(Target(path: path, monitor: DatabaseMonitor(path: path)))
        tables?.add(path: path)
        return true
    }

    /// Samples at random intervals.
    ///
    /// - Parameters:
    ///   - duration: For how long.
    ///   - isStopped: Asked after each sample; returns true to end early.
    public func run(for duration: Duration, until isStopped: () -> Bool = { false }) {
        let parts = duration.components
        let length = max(0, parts.seconds) * 1_000_000_000 + parts.attoseconds / 1_000_000_000
        let end = monotonicNanoseconds() &+ UInt64(max(0, length))
        while !isStopped() {
            let now = monotonicNanoseconds()
            if now >= end { return }
            let wake = min(nextSample, end)
            if wake > now { Self.sleep(until: wake) }
            if wake == nextSample {
                sample()
                // From the planned moment, not from the end of the sample: what a sample costs
                // depends on what it sees, and must not decide when the next one is made.
                let late = monotonicNanoseconds()
                nextSample &+= intervals.next(mean: rate.mean)
                if nextSample < late { nextSample = late &+ intervals.next(mean: rate.mean) }
            }
        }
    }

    /// Samples once, now.
    public func sample() {
        let now = monotonicNanoseconds()
        let helperBefore = helper.nanoseconds
        let before = Self.threadNanoseconds()
        processes.lookNanoseconds = 0
        let probesLocks = now >= nextProbe
        if probesLocks { nextProbe = now &+ Self.probePause }
        var samples: [FileSample] = []
        for number in targets.indices {
            let sample = helper.sample(slot: UInt8(number), probesLocks: probesLocks, at: now)
            identify(number, sample)
            samples.append(sample)
            if helper.hasRestarted { processes.scan.exclude(helper.process) }
        }
        let inodes = Set(
            targets.flatMap { [$0.database?.inode, $0.index?.inode].compactMap(\.self) }
        )
        lseek(lockList, 0, SEEK_SET)
        let locks = LockTable.parse(
            ProcFile.read(lockList, limit: 1 << 24) ?? [],
            inodes: inodes
        )
        for number in targets.indices {
            observe(number, samples[number], locks, hasProbes: probesLocks, at: now)
        }
        let ownCost = Self.threadNanoseconds() &- before
        // Scans and looks have limits of their own. The helper's start is not a sample's cost.
        let helperCost = isFirstSample ? 0 : helper.nanoseconds &- helperBefore
        isFirstSample = false
        rate.add(cost: helperCost &+ ownCost &- min(ownCost, processes.lookNanoseconds))
        processes.proceed(at: now)
        if var tables {
            self.tables = nil
            tables.proceed(at: now) { hasLog($0) }
            processes.scan.exclude(tables.process)
            self.tables = tables
        }
    }

    /// Whether a database has frames to count.
    private func hasLog(_ number: Int) -> Bool {
        targets[number].monitor.last?.files.isWAL == true
    }

    /// Leaves to samples what scans, looks, tables and reports did not use in the last interval.
    private func limitRate(otherShare: Double) {
        defer { hasReported = true }
        // The first interval contains the start of the helpers and a scan of all processes.
        guard hasReported else { return }
        let left = options.processorLimit - max(0, otherShare)
        let least = options.processorLimit * Self.leastSampleShare
        rate.limit = min(max(left, least), options.processorLimit * Self.sampleShare)
    }

    /// Whether each file can be watched, as of the last sample, and why not.
    public var states: [(path: String, state: WatchedFile.State, problem: String?)] {
        targets.map { target in
            let files = target.monitor.last?.files ?? ObservedFiles()
            return (target.path, files.state, files.problem)
        }
    }

    /// The reports on the interval since the last ones, one for each database.
    public func reports() -> [WatchReport] {
        if var tables {
            self.tables = nil
            tables.complete(at: monotonicNanoseconds()) { hasLog($0) }
            self.tables = tables
        }
        let now = monotonicNanoseconds()
        let helpers = helper.nanoseconds &+ (tables?.nanoseconds ?? 0)
        let total = Self.processorNanoseconds() &+ helpers
        let elapsed = Double(now - min(now, used.at))
        let share = elapsed > 0 ? Double(total - min(total, used.nanoseconds)) / elapsed : 0
        limitRate(otherShare: share - (rate.total - sampled) / max(elapsed, 1))
        sampled = rate.total
        used = (total, now)
        processes.measure(Set(targets.flatMap(\.monitor.processes)), at: now)
        let (start, processes, tables) = (start, processes, tables)
        return targets.indices.map { number in
            targets[number].monitor.report(
                at: now,
                calendar: { time in
                    let distance = Int64(bitPattern: time &- start.monotonic) / 1_000_000
                    return WatchTime(milliseconds: start.milliseconds + distance)
                },
                processorShare: share,
                fileSystem: targets[number].fileSystem,
                notes: notes(targets[number]),
                tables: tables?.counts[number],
                facts: { processes.facts(of: $0) }
            )
        }
    }

    // MARK: One sample

    private func observe(
        _ number: Int,
        _ sample: FileSample,
        _ locks: [FileLock],
        hasProbes: Bool,
        at now: UInt64
    ) {
        let files = ObservedFiles(sample)
        let target = targets[number]
        var held = LockBytes.processes(
            in: locks,
            database: target.database,
            index: target.index,
            isWAL: files.isWAL
        )
        for process in processes.excluded { held[process] = nil }
        for process in held.keys { processes.meet(process) }
        if hasProbes {
            // A process of this namespace has a number; it may have acquired its lock since the
            // list was read.
            targets[number].hasHiddenHolder = sample.probes.contains { probe in
                probe.process <= 0 || !processes.exists(probe.process)
            }
        }
        let isBlocked = held.values.contains(where: \.excludesOthers)
        let open = processes.scan.users[number] ?? []
        var waiting: [Int32: Bool] = [:]
        if isBlocked {
            waiting = processes.waiting(among: open.union(held.keys), at: now)
        }
        targets[number].monitor.update(
            Observation(
                now: now,
                weight: rate.mean,
                files: files,
                locks: held,
                open: open,
                waiting: waiting,
                hasHiddenHolder: targets[number].hasHiddenHolder
            )
        )
    }

    /// Finds out under which devices and inodes the locks of a database are listed.
    private func identify(_ number: Int, _ sample: FileSample) {
        let path = targets[number].path
        let database = sample.database.identity
        let index = sample.index.identity
        if database != targets[number].identity || targets[number].mount == nil {
            processes.expectNewUsers()
            let mounts = MountTable(
                text: ProcFile.text("/proc/self/mountinfo", limit: 1 << 22) ?? ""
            )
            targets[number].mount = mounts.mount(of: Self.resolved(path))
            targets[number].fileSystem = targets[number].mount.map {
                FileSystemStatus(type: $0.type)
            }
        }
        targets[number].identity = database
        targets[number].indexIdentity = index
        targets[number].database = lockIdentity(database, targets[number].mount)
        targets[number].index = lockIdentity(index, targets[number].mount)
        let identities = [database, index, sample.wal.identity, sample.journal.identity]
        processes.scan.set(identities.compactMap(\.self), of: number)
    }

    private func lockIdentity(
        _ file: FileIdentity?,
        _ mount: MountTable.Mount?
    ) -> LockIdentity? {
        file.map {
            LockIdentity(inode: $0.inode, devices: [$0.device, mount?.device].compactMap(\.self))
        }
    }

    private func notes(_ target: Target) -> [String] {
        var notes = processes.notes
        if target.hasHiddenHolder {
            notes.append(
                "A process that is not visible here holds locks on the database: it runs in "
                    + "another container or PID namespace, or /proc hides it. Run on the host, as "
                    + "root, to see it."
            )
        }
        if let warning = target.fileSystem?.warning { notes.append(warning + ".") }
        if let problem = helper.problem { notes.append(problem) }
        return notes
    }

    // MARK: System

    /// SQLite names the log after the file that a symbolic link leads to.
    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else {
            if path.hasPrefix("/") { return path }
            guard let folder = getcwd(nil, 0) else { return path }
            defer { free(folder) }
            return String(cString: folder) + "/" + path
        }
        defer { free(real) }
        return String(cString: real)
    }

    private static func sleep(until time: UInt64) {
        var moment = timespec(
            tv_sec: Int(time / 1_000_000_000),
            tv_nsec: Int(time % 1_000_000_000)
        )
        // A signal may ask to stop: no second try.
        clock_nanosleep(CLOCK_MONOTONIC, Int32(TIMER_ABSTIME), &moment, nil)
    }

    private static func threadNanoseconds() -> UInt64 { nanoseconds(CLOCK_THREAD_CPUTIME_ID) }

    private static func processorNanoseconds() -> UInt64 { nanoseconds(CLOCK_PROCESS_CPUTIME_ID) }

    private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
#endif
