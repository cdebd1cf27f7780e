#if os(Linux)
import CSQLite
import Foundation
import Glibc
import SQLiteWatch
import Synchronization
import Telemetry

/// A session that traces the SQL of other programs through probes on the SQLite functions that they
/// call.
///
/// A session sets probes only in processes that have a watched database open. The kernel removes
/// them when the session's process ends for any reason.
///
/// A session requires root privileges. Use a session on only one thread, and call ``poll()`` often,
/// because the kernel buffers only 16 MiB of records. A lock of the session permits its own
/// thread to set probes in programs that wait for them.
public final class SQLTraceSession: StatementTrace {
    let options: SQLTraceOptions
    var files: WatchedFiles
    let kernel: ProbeKernel
    var libraries: TracedLibraries
    var survey: ProcessSurvey
    let opens: DatabaseOpens
    /// Protects all state.
    let lock = Mutex(())
    var decoder: ExecutionDecoder
    /// The processes with probes.
    var attached: [Int32: AttachedProcess] = [:]
    /// The processes whose probes are being removed because they executed a new program.
    var released: [Int32: AttachedProcess] = [:]
    /// The executions that the next poll returns.
    var pending: [StatementExecution] = []
    /// The trace data of each database, in the order of `files.paths`.
    var models: [TraceModel] = []
    var connections = ConnectionTable()
    /// The running statements that began before their process had probes.
    var earlyStatements: [ConnectionKey: EarlyStatement] = [:]
    /// The time at which these were last known to be running.
    var followTime: UInt64 = 0
    /// The names of running and terminated processes, by process ID.
    var names: [Int32: String] = [:]
    let planner: PlanClient?
    /// The earliest time of the next request for plans.
    var nextPlanTime: UInt64 = 0
    /// The earliest time of the next comparison of costs with the limit.
    var nextLimitTime: UInt64 = 0
    let start: UInt64
    /// The processes that ran when the session started, whose earlier statements are not counted.
    private let oldProcesses: Set<Int32>
    /// The time until which the records have been read.
    var readTime: UInt64
    /// The time until which the last report counted executions.
    var reportTime: UInt64
    var recordCount: UInt64 = 0
    /// The lost records and the nested executions of processes that have ended.
    var endedCounts = ProbeKernel.Counts()
    /// How the processes were traced that were traced only in windows.
    var sampling: [Int32: StatementTable.Sampling] = [:]
    /// The times with probes since the last report of such processes that have ended, in seconds.
    var endedPeriods: [Int32: Double?] = [:]
    /// The cost of probes for a program, or `nil` until it is measured.
    private(set) var cost: ProbeCost?
    private var hasMeasuredCost = false
    /// The processes without probes that opened a watched database without waiting, and when.
    var opening: [Int32: UInt64] = [:]
    /// The number of processes that opened a watched database and ended before they had probes.
    var missedPrograms = 0
    /// The number of programs that got probes only after their first statements.
    var latePrograms = 0
    var problems: [Int32: String] = [:]
    var notes: [String] = []
    private static let nameLimit = 4_096
    private var gaps: [Int32: [ClosedRange<UInt64>]] = [:]
    /// The start of the current gap of each process without probes.
    var gapStarts: [Int32: UInt64] = [:]
    private static let gapLimit = 1 << 14
    let calendarStart: (monotonic: UInt64, milliseconds: Int64)

    /// Starts tracing.
    ///
    /// - Parameters:
    ///   - paths: The paths of the database files.
    ///   - commands: The commands of the processes that the session starts.
    ///   - options: The tracing options.
    /// - Throws: ``TraceError`` if SQL cannot be traced.
    public convenience init(
        paths: [String],
        commands: SQLTraceCommands,
        options: SQLTraceOptions = SQLTraceOptions()
    ) throws(TraceError) {
        try self.init(paths, commands, options, way: try ProbeSupport.way().get())
    }

    init(
        _ paths: [String],
        _ commands: SQLTraceCommands,
        _ options: SQLTraceOptions,
        way: ProbeSupport.Way
    ) throws(TraceError) {
        kernel = try ProbeKernel(way: way, readsValues: options.readsValues)
        self.options = options
        let files = WatchedFiles(paths: paths)
        self.files = files
        libraries = TracedLibraries(calibration: Calibration(command: commands.calibration))
        survey = ProcessSurvey(paths: files.paths)
        survey.excluded = [getpid()]
        decoder = ExecutionDecoder { files.database(of: $0, path: $1) }
        models = files.paths.map { _ in Self.model(options) }
        opens = DatabaseOpens(command: commands.opening)
        planner = commands.planning.isEmpty ? nil : PlanClient(command: commands.planning)
        oldProcesses = Set((ProcFile.names(in: "/proc") ?? []).compactMap { Int32($0) })
        start = monotonicNanoseconds()
        readTime = start
        reportTime = start
        calendarStart = (start, SystemClock.calendarMilliseconds)
        readSchemaNames()
        calibrateOwnLibrary()
        let programsWait = opens.start(files.paths)
        attach(to: survey.surveyDueProcesses(at: start, for: Self.firstSurveyTime))
        findEarlyStatements()
        measureCost()
        if programsWait != nil { startThread() }
        if programsWait != true { noteThatProgramsPass() }
    }

    private static func model(_ options: SQLTraceOptions) -> TraceModel {
        var model = TraceModel()
        model.showsLiterals = options.showsLiterals
        return model
    }

    /// Adds a database to trace.
    public func add(path: String) {
        lock.withLock { _ in start(path) }
    }

    private func start(_ path: String) {
        files.add(path: path)
        survey.paths = files.paths
        opens.watch(files.paths)
        models.append(Self.model(options))
        for process in survey.processes.keys {
            survey.scheduleSurvey(of: process, at: monotonicNanoseconds())
        }
    }

    /// Removes all probes.
    public func close() {
        opens.close()
        lock.withLock { _ in
            let now = monotonicNanoseconds()
            for process in attached.values { process.detach(at: now, forget: { _ in }) }
            attached = [:]
        }
    }

    deinit { close() }

    // MARK: Processes

    /// The time limit of a survey between two reads of records, in nanoseconds.
    private static let surveyTime: UInt64 = 5_000_000
    /// The time limit of the first survey, in nanoseconds.
    private static let firstSurveyTime: UInt64 = 2_000_000_000
    /// The time in which a process may end before it has probes, in nanoseconds.
    private static let openingTime: UInt64 = 1_000_000_000
    /// The time after which to try again whether probes are removed, in nanoseconds.
    private static let removalPause: UInt64 = 20_000_000

    func surveyProcesses() {
        let now = monotonicNanoseconds()
        opens.watch(files.paths)
        attach(to: survey.surveyDueProcesses(at: now, for: Self.surveyTime))
        findEarlyStatements()
        for (process, time) in opening {
            let hasEnded = !Self.exists(process)
            if hasEnded, attached[process] == nil { missedPrograms += 1 }
            if hasEnded || now > time + Self.openingTime { opening[process] = nil }
        }
    }

    /// Sets probes in the processes that have a watched database open.
    func attach(to surveyed: [Int32]) {
        for process in surveyed {
            guard let facts = survey.processes[process],
                options.processes.isEmpty || options.processes.contains(process)
            else { continue }
            guard !facts.databases.isEmpty else {
                releaseIfIdle(process)
                continue
            }
            // The process may end before its records are read.
            files.noteRoot(of: process)
            problems[process] = nil
            if let name = facts.name {
                if names.count > Self.nameLimit { names = [:] }
                names[process] = name
            }
            attach(to: process, facts)
        }
        for process in problems.keys where survey.processes[process] == nil {
            problems[process] = nil
        }
    }

    /// Sets the probes of the libraries that a process has mapped since the last call.
    func attach(to process: Int32, _ facts: ProcessSurvey.Facts) {
        libraries.examine(facts.code, of: process)
        let found = facts.code.compactMap(libraries.entry)
        if let problem = problem(of: process, facts, found: found) {
            problems[process] = problem
            return
        }
        let now = monotonicNanoseconds()
        let target =
            attached[process]
            ?? AttachedProcess(
                process,
                limit: options.shareLimit,
                isOld: oldProcesses.contains(process),
                at: now
            )
        // The limiter decides when a process without probes gets them again.
        if let released = released[process] {
            guard released.canAttach else {
                return survey.scheduleSurvey(of: process, at: now + Self.removalPause)
            }
            self.released[process] = nil
        }
        guard target.canAttach, !target.limiter.isPaused else { return }
        let isGo = facts.program.map(libraries.isGo) ?? false
        for entry in found where !target.libraries.contains(entry.number) {
            libraries.calibrate(entry)
            do throws(TraceError) {
                let layout = try entry.state?.get()
                guard let layout else { continue }
                // Return probes modify the stack, which Go's runtime unwinds.
                let hasReturns = !isGo && !entry.library.description.isGo
                let programs = try kernel.programs(
                    of: entry,
                    layout,
                    hasReturns: hasReturns,
                    isSeparate: entry.isSeparate && entry.library.path != facts.program?.path
                )
                if attached[process] == nil { try kernel.start(process) }
                target.thread = Self.livingThread(of: process)
                try target.add(entry) { () throws(TraceError) in
                    try Attachment(
                        process,
                        thread: target.thread,
                        to: entry.library.descriptor,
                        at: entry.library.points,
                        programs,
                        hasReturns: hasReturns,
                        by: kernel.way
                    )
                }
                entry.hasProbes = true
                attached[process] = target
                opens.send(.probed(process: process))
                if !hasReturns { note(goProgram: process) }
                endGap(of: process, at: target.window ?? now)
            } catch {
                // The process may have ended.
                guard Self.exists(process) else { continue }
                problems[process] = "its library \(entry.library.path): \(error.description)"
            }
        }
    }

    /// The time without an execution after which a process without an open database loses its
    /// probes, in nanoseconds.
    ///
    /// Programs may open the database for each request.
    private static let idleTime: UInt64 = 60_000_000_000

    private func releaseIfIdle(_ process: Int32) {
        let now = monotonicNanoseconds()
        guard let target = attached[process], now > target.lastUse + Self.idleTime else { return }
        end(process, at: now)
    }

    private func note(goProgram process: Int32) {
        let name = WatchStatementText.process(names[process], pid: process)
        let note = "\(name) is a Go program: its statements have no times and rows"
        if !notes.contains(note), notes.count < 64 { notes.append(note) }
    }

    /// Returns whether a process exists, which this user may not be permitted to signal.
    static func exists(_ process: Int32) -> Bool {
        kill(process, 0) == 0 || errno == EPERM
    }

    /// Returns a thread that has not ended, because events of a thread end with it.
    private static func livingThread(of process: Int32) -> Int32 {
        let threads = (ProcFile.names(in: "/proc/\(process)/task") ?? []).compactMap { Int32($0) }
        return threads.sorted().first { isLiving($0, of: process) } ?? process
    }

    private static func isLiving(_ thread: Int32, of process: Int32) -> Bool {
        let status = ProcFile.read("/proc/\(process)/task/\(thread)/stat")
        return status.flatMap(ProcessStat.init).map { $0.state != "Z" } ?? false
    }

    /// Sets the events of processes again whose thread with the events has ended.
    func followThreads() {
        guard case .event = kernel.way else { return }
        for (process, target) in attached
        where target.isAttached && !Self.isLiving(target.thread, of: process) {
            guard let facts = survey.processes[process] else { continue }
            target.replaceProbes()
            attach(to: process, facts)
        }
    }

    /// Returns the reason why the statements of a process are not visible.
    private func problem(
        of process: Int32,
        _ facts: ProcessSurvey.Facts,
        found: [TracedLibraries.Entry]
    ) -> String? {
        guard found.isEmpty else { return nil }
        if libraries.isFull { return "too many other libraries with SQLite are in use" }
        guard !facts.code.isEmpty else { return "its memory map cannot be read" }
        let (copy, unknown) = libraries.hiddenCopy(in: facts.code, of: process)
        if let copy { return copy.reason }
        return unknown.map { "its file \($0) cannot be examined" }
            ?? "none of its files contains SQLite"
    }

    /// Removes the state of a process that has ended or executed a new program.
    func end(_ process: Int32, at time: UInt64) {
        decoder.forget(process)
        connections.end(process: process)
        earlyStatements = earlyStatements.filter { $0.key.process != process }
        for database in models.indices { models[database].end(process: process, at: time) }
        guard let ended = attached.removeValue(forKey: process) else { return }
        opens.send(.forget(process: process))
        released = released.filter { !$0.value.canAttach }
        released[process] = ended
        let counts = kernel.counts(of: process)
        endedCounts.lost += counts.lost
        endedCounts.nested += counts.nested
        kernel.end(process)
        noteSampling(of: ended, at: time)
        if ended.isSampled, endedPeriods.count < 1 << 12 {
            endedPeriods[process] = .some(ended.endPeriod(at: time, since: reportTime))
        }
        ended.detach(at: time, forget: kernel.forget)
        endGap(of: process, at: time)
    }

    // MARK: Gaps

    /// Returns the periods since the last call in which records of processes are missing.
    ///
    /// Records are missing while a process has no probes because of the limit. Times refer to
    /// `CLOCK_MONOTONIC`. While a process has no probes, its last period ends at `UInt64.max`.
    public func takeGaps() -> [Int32: [ClosedRange<UInt64>]] {
        lock.withLock { _ in
            defer { gaps = [:] }
            return gaps.merging(gapStarts.mapValues { [$0...UInt64.max] }) { $0 + $1 }
        }
    }

    func endGap(of process: Int32, at time: UInt64) {
        guard let start = gapStarts.removeValue(forKey: process) else { return }
        // Limit the list, because a caller may never call takeGaps().
        if gaps.count >= Self.gapLimit { gaps = [:] }
        if gaps[process]?.count ?? 0 >= Self.gapLimit { gaps[process] = nil }
        gaps[process, default: []].append(start...max(start, time))
    }

    // MARK: Cost

    /// Calibrates the library that this process uses, so that no program waits for that.
    private func calibrateOwnLibrary() {
        let function: @convention(c) (OpaquePointer?) -> Int32 = sqlite3_step
        let address = UInt64(UInt(bitPattern: unsafeBitCast(function, to: UnsafeRawPointer.self)))
        let maps = ProcessMaps(ProcFile.read("/proc/self/maps", limit: 1 << 24) ?? [])
        guard let mapping = maps.code.first(where: { $0.range.contains(address) }),
            mapping.path != ProcFile.link("/proc/self/exe")
        else { return }
        libraries.examine([mapping], of: getpid())
        guard let entry = libraries.entry(mapping) else { return }
        libraries.calibrate(entry)
    }

    /// Measures the cost of probes in a process that calls a copy of a library, once.
    func measureCost() {
        guard !hasMeasuredCost else { return }
        for entry in libraries.entries {
            guard let layout = try? entry.state?.get(),
                let programs = try? kernel.programs(
                    of: entry,
                    layout,
                    hasReturns: true,
                    isSeparate: entry.isSeparate
                )
            else { continue }
            hasMeasuredCost = true
            return measureCost(entry, programs: programs)
        }
    }

    private func measureCost(_ entry: TracedLibraries.Entry, programs: ProbeKernel.Programs) {
        var measured: Int32?
        var probes: Attachment?
        cost = libraries.calibration.cost(of: entry.library) { process, copy in
            do throws(TraceError) {
                try kernel.start(process)
                measured = process
                probes = try Attachment(
                    process,
                    thread: process,
                    to: copy,
                    at: entry.library.points,
                    programs,
                    hasReturns: true,
                    by: kernel.way
                )
                return true
            } catch {
                return false
            }
        }
        _ = probes.take()
        guard let process = measured else { return }
        kernel.end(process)
        kernel.forget(process)
        // The measurement's records do not belong to a traced program.
        var steps: [Double] = []
        _ = kernel.ring.read(limit: .max) { bytes in
            guard let record = ProbeRecord(bytes) else { return }
            guard record.process == process else { return handle(record) }
            guard case .execution(let end) = record.kind, end.stepCount > 0 else { return }
            steps.append(Double(end.inside) / Double(end.stepCount))
        }
        guard let cost, let fastest = steps.min() else { return }
        self.cost?.insideStep = max(0, fastest - cost.plainStep)
        decoder.stepOverhead = UInt64(self.cost?.insideStep ?? 0)
        decoder.overheadBetweenSteps = UInt64(self.cost?.outsideStep ?? 0)
        decoder.executionOverhead = (cost.step, cost.reset + cost.end)
        // A step has an entry and a return, and sqlite3_reset an entry only.
        decoder.innerOverhead = (
            cost.reset * Self.costInPrograms, max(0, cost.step - cost.reset) * Self.costInPrograms
        )
    }
}
#endif
