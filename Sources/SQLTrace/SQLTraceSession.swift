#if os(Linux)
import Glibc
import SQLiteWatch
import Telemetry

/// A session that traces the SQL of other programs through probes on the SQLite functions that they
/// call.
///
/// A session requires root privileges. Use a session on only one thread, and call ``poll()`` often,
/// because the kernel buffers only 8 MiB of events for each processor.
///
/// A guardian process removes all probes when the session's process ends for any reason.
public final class SQLTraceSession {
    let options: SQLTraceOptions
    var files: WatchedFiles
    let guardian: GuardianProcess
    let probes: ProbeSet
    var survey: ProcessSurvey
    var decoder: ExecutionDecoder
    /// The trace data of each database, in the order of `files.paths`.
    var models: [TraceModel] = []
    /// The names of running and terminated processes, by process ID.
    var names: [Int32: String] = [:]
    /// The events after the end of the last batch.
    var pendingEvents: [TraceEvent] = []
    let planner: PlanClient?
    /// The earliest time of the next request for plans.
    var nextPlanTime: UInt64 = 0
    let start: UInt64
    var eventCount: UInt64 = 0
    var ratePeriod: RatePeriod
    var limiter: CostLimiter
    var windows: TimingWindows
    /// The time that each thread lost to execution events since the limiter's last decision, in
    /// nanoseconds.
    var lostTimes: [Int32: Double] = [:]
    /// The time that each thread lost to step events since the last window, in nanoseconds.
    var lostStepTimes: [Int32: Double] = [:]
    var lostShares = LostShares()
    var lostStepShares = LostShares()
    /// The largest share of time, from 0 to 1, that a thread has lost to step events since the last
    /// window.
    var stepShare: Double = 0
    /// The time at which the last window closed.
    var lastWindowEnd: UInt64
    /// The number of step events since the last window opened.
    var windowEventCount = 0
    /// The events of the processes to trace in full, or `nil` at other levels.
    var selectedEvents: PerfEvents?
    var problems: [Int32: String] = [:]
    var notes: [String] = []
    private static let nameLimit = 4_096
    private var gaps: [ClosedRange<UInt64>] = []
    /// The start of the current pause, or `nil` during tracing.
    private(set) var gapStart: UInt64?
    /// The process that lost the largest share of its time before a pause, if known, and the share.
    var costliestProcess: (process: Int32?, share: Double)?
    private static let gapLimit = 1 << 14
    /// The time until which all events have been decoded or counted as lost.
    var decodedUntil: UInt64
    /// The time at which recording stopped after a loss of events, or `nil` during recording.
    var stopTime: UInt64?
    /// The time for which events are missing since the limiter's last decision, in nanoseconds.
    var missingTime: UInt64 = 0
    let calendarStart: (monotonic: UInt64, milliseconds: Int64)

    /// Starts tracing.
    ///
    /// - Parameters:
    ///   - paths: The paths of the database files.
    ///   - commands: The commands of the processes that the session starts.
    ///   - options: The tracing options.
    /// - Throws: ``TraceError`` if SQL cannot be traced.
    public init(
        paths: [String],
        commands: SQLTraceCommands,
        options: SQLTraceOptions = SQLTraceOptions()
    ) throws(TraceError) {
        let folder = try TraceFolder.find().get()
        guard let owner = TraceOwner.current else {
            throw TraceError(.permission, "/proc/self/stat cannot be read; mount /proc")
        }
        self.options = options
        let files = WatchedFiles(paths: paths)
        self.files = files
        // Start the guardian before the first probe exists.
        guardian = try GuardianProcess(command: commands.guardian, name: owner.name)
        probes = ProbeSet(
            instance: try TraceInstance(folder: folder, name: owner.name),
            calibration: Calibration(command: commands.calibration),
            options: options
        )
        survey = ProcessSurvey(paths: files.paths)
        survey.excluded = [getpid()]
        decoder = ExecutionDecoder(memory: ProcMemory()) { files.database(of: $0, path: $1) }
        models = files.paths.map { _ in Self.model(options) }
        planner = commands.planning.isEmpty ? nil : PlanClient(command: commands.planning)
        start = monotonicNanoseconds()
        ratePeriod = RatePeriod(start: start)
        lastWindowEnd = start
        decodedUntil = start
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        calendarStart = (
            start, Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
        )
        limiter = CostLimiter(limit: options.shareLimit, at: start)
        windows = TimingWindows(at: start, seed: .random(in: 0 ... .max))
        try probes.enableProcessEvents()
        // Survey before enabling probes, because libraries that Go programs use must not have
        // return probes.
        let surveyed = survey.surveyDueProcesses(at: start, for: Self.firstSurveyTime)
        let common = TracedLibraries.common.filter { access($0, R_OK) == 0 }
            .compactMap { probes.libraries.entry(path: $0, link: $0) }
        probeLibraries(of: surveyed)
        // These libraries were not found in a process that uses a watched database, so trust them
        // only if they belong to root.
        for entry in common where entry.library.isOwnedByRoot { probe(entry) }
        selectProcesses()
        readSchemaNames()
        // Exclude the start of the session from the limiter's intervals.
        limiter = CostLimiter(limit: options.shareLimit, at: monotonicNanoseconds())
    }

    private static func model(_ options: SQLTraceOptions) -> TraceModel {
        var model = TraceModel()
        model.showsLiterals = options.showsLiterals
        return model
    }

    /// Adds a database to trace.
    public func add(path: String) {
        files.add(path: path)
        survey.paths = files.paths
        models.append(Self.model(options))
    }

    /// Removes all probes.
    public func close() {
        // Close the perf events first, because a probe in use cannot be removed.
        selectedEvents?.close()
        probes.instance.close()
    }

    deinit { close() }

    // MARK: Processes

    private func probe(_ entry: TracedLibraries.Entry) {
        guard entry.definedEvents.isEmpty else { return }
        removeReturnProbesForGo(of: entry)
        let mustPause = probes.needsCalibration(entry) && probes.isRecording && !probes.isPaused
        // The session reads no events while a calibration process runs.
        if mustPause { setPaused(true) }
        defer { if mustPause { setPaused(false) } }
        guard probes.probe(entry) else { return }
        decoder.layouts = probes.layouts
        decoder.stepOverhead = UInt64(probes.cost?.insideStep ?? 0)
        decoder.overheadBetweenSteps = UInt64(probes.cost?.outsideStep ?? 0)
        if selectedEvents != nil { selectProcesses() }
    }

    /// Prevents return probes on a library that a surveyed Go program maps.
    private func removeReturnProbesForGo(of entry: TracedLibraries.Entry) {
        for process in survey.processes.keys where !entry.hasGoUser {
            removeReturnProbes(of: entry, ifGo: process)
        }
        noteGoUser(of: entry)
    }

    /// Removes the return probes of a library if a process that maps it runs a Go program.
    private func removeReturnProbes(of entry: TracedLibraries.Entry, ifGo process: Int32) {
        guard !entry.hasGoUser, let facts = survey.processes[process],
            let program = facts.program,
            facts.code.contains(where: { probes.libraries.known($0, of: process) === entry }),
            probes.libraries.isGo(program, of: process)
        else { return }
        probes.removeReturnProbes(of: entry)
        noteGoUser(of: entry)
    }

    private func noteGoUser(of entry: TracedLibraries.Entry) {
        guard entry.hasGoUser, decoder.librariesWithoutReturns.insert(entry.number).inserted else {
            return
        }
        notes.append(
            "a Go program uses \(entry.library.path): its statements have no times, and calls to "
                + "sqlite3_exec are counted at their start, without their results"
        )
    }

    /// Returns the periods since the last call in which events are missing.
    ///
    /// Events are missing while tracing is paused and when the kernel loses them. Times refer to
    /// `CLOCK_MONOTONIC`. While tracing is paused, the last period ends at `UInt64.max`.
    public func takeGaps() -> [ClosedRange<UInt64>] {
        defer { gaps = [] }
        return gaps + (gapStart.map { [$0...UInt64.max] } ?? [])
    }

    func addGap(_ gap: ClosedRange<UInt64>) {
        // Limit the list, because a caller may never call takeGaps().
        if gaps.count >= Self.gapLimit { gaps.removeFirst(Self.gapLimit / 2) }
        gaps.append(gap)
        ratePeriod.exclude(gap)
    }

    func setPaused(_ isPaused: Bool) {
        // While probes are being enabled or disabled, only some events are recorded.
        if isPaused { gapStart = monotonicNanoseconds() }
        defer {
            if !isPaused, let start = gapStart {
                addGap(start...max(start, monotonicNanoseconds()))
                gapStart = nil
            }
        }
        if isPaused {
            probes.setRecordsSteps(false)
            decoder.endTiming()
        }
        probes.setPaused(isPaused)
        decoder.forget()
        let now = monotonicNanoseconds()
        for number in models.indices { models[number].noteGap(at: now) }
    }

    /// The time limit of a survey between two reads of events, in nanoseconds.
    private static let surveyTime: UInt64 = 5_000_000
    /// The time limit of the first survey, in nanoseconds.
    private static let firstSurveyTime: UInt64 = 2_000_000_000

    func surveyProcesses() {
        let now = monotonicNanoseconds()
        probeLibraries(of: survey.surveyDueProcesses(at: now, for: Self.surveyTime))
    }

    /// Probes the libraries of the processes that have a watched database open.
    private func probeLibraries(of surveyed: [Int32]) {
        for process in surveyed {
            guard let facts = survey.processes[process] else { continue }
            // The process may end before its events are read.
            files.noteRoot(of: process)
            problems[process] = nil
            if let name = facts.name, !facts.code.isEmpty || !facts.databases.isEmpty {
                if names.count > Self.nameLimit { names = [:] }
                names[process] = name
            }
            guard !facts.databases.isEmpty else {
                // The process's files are not read, but a Go program must not call functions with
                // return probes.
                let shared = facts.code.compactMap { probes.libraries.known($0, of: process) }
                for entry in shared { removeReturnProbes(of: entry, ifGo: process) }
                continue
            }
            let found = facts.code.compactMap { probes.libraries.entry($0, of: process) }
            if let problem = problem(of: process, facts, found) {
                problems[process] = problem
                continue
            }
            for entry in found {
                removeReturnProbes(of: entry, ifGo: process)
                probe(entry)
                if case .failure(let error) = entry.state {
                    problems[process] =
                        "its library \(entry.library.path): \(error.description)"
                }
            }
        }
        for process in problems.keys where survey.processes[process] == nil {
            problems[process] = nil
        }
    }

    /// Returns the reason why the statements of a process are not visible.
    private func problem(
        of process: Int32,
        _ facts: ProcessSurvey.Facts,
        _ libraries: [TracedLibraries.Entry]
    ) -> String? {
        guard libraries.isEmpty else { return nil }
        if probes.libraries.isFull { return "too many other libraries with SQLite are in use" }
        guard !facts.code.isEmpty else { return "its memory map cannot be read" }
        for mapping in facts.code {
            if let copy = probes.libraries.hiddenCopy(mapping, of: process) { return copy.reason }
        }
        return "none of its files contains SQLite"
    }

    /// Opens the trace events of the processes to trace in full.
    private func selectProcesses() {
        guard options.level == .full else { return }
        let events = selectedEvents ?? PerfEvents()
        selectedEvents = events
        for process in options.processes {
            do throws(TraceError) {
                try events.add(process: process, events: probes.eventNumbers)
            } catch {
                problems[process] = error.description
            }
        }
        decoder.window = 0...(.max)
    }
}
#endif
