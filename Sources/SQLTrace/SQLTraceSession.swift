#if os(Linux)
import Glibc
import SQLiteWatch
import Telemetry

/// Shows the SQL of other programs, through probes on the functions of SQLite that they call.
///
/// It needs root. A session belongs to one thread, which calls ``poll()`` often: the kernel keeps
/// events in a buffer of 8 MB for each processor.
///
/// A guardian process removes all probes when the session's process ends, however that happens.
public final class SQLTraceSession {
    private let options: SQLTraceOptions
    private let paths: [String]
    private let instance: TraceInstance
    private let guardian: GuardianProcess
    private var libraries: TracedLibraries
    private var survey: ProcessSurvey
    private var events = EventDecoder()
    private var decoder: ExecutionDecoder
    private var model = TraceModel()
    /// Events that happened after the last batch was read.
    private var early: [TraceEvent] = []
    private let start: UInt64
    private var counted: UInt64 = 0
    private var lastReport: UInt64
    private var problems: [Int32: String] = [:]
    private var notes: [String] = []
    private let calendarStart: (monotonic: UInt64, milliseconds: Int64)

    /// Starts to trace.
    ///
    /// - Parameters:
    ///   - paths: The database files.
    ///   - commands: The programs of the processes that the session starts.
    ///   - options: How to trace.
    public init(
        paths: [String],
        commands: SQLTraceCommands,
        options: SQLTraceOptions = SQLTraceOptions()
    ) throws(TraceError) {
        let folder = try TraceFolder.find().get()
        guard let owner = TraceOwner.current else {
            throw TraceError(.permission, "/proc/self/stat cannot be read: is /proc mounted?")
        }
        self.options = options
        self.paths = paths
        // Before the first probe exists.
        guardian = try GuardianProcess(command: commands.guardian, name: owner.name)
        instance = try TraceInstance(folder: folder, name: owner.name)
        libraries = TracedLibraries(calibration: Calibration(command: commands.calibration))
        survey = ProcessSurvey(paths: paths)
        survey.excluded = [getpid()]
        let files = paths.map { ($0, FileIdentity(path: $0)) }
        decoder = ExecutionDecoder(memory: ProcMemory()) { process, path in
            // Through the process's root: it may run in a container.
            let identity = FileIdentity(path: "/proc/\(process)/root\(path)")
            return files.contains { file in
                identity == nil ? path == file.0 : identity == (file.1 ?? FileIdentity(path: file.0))
            }
        }
        model.showsLiterals = options.showsLiterals
        start = monotonicNanoseconds()
        lastReport = start
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        calendarStart = (
            start, Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
        )
        try enableProcessEvents()
        for path in TracedLibraries.common where access(path, R_OK) == 0 {
            if let entry = libraries.entry(path: path, link: path) { probe(entry) }
        }
        surveyProcesses()
    }

    /// Removes all probes.
    public func close() { instance.close() }

    deinit { close() }

    // MARK: Probes

    private func enableProcessEvents() throws(TraceError) {
        for (group, name, meaning) in [
            ("task", "task_newtask", EventDecoder.Meaning.newThread),
            ("sched", "sched_process_exec", .newProgram), ("sched", "sched_process_exit", .exit),
        ] {
            try instance.learn(name, of: group)
            if let format = instance.format(name) { events.add(meaning, format) }
            try instance.set(name, of: group, isEnabled: true)
        }
    }

    /// Sets the probes of a library that has a layout.
    private func probe(_ entry: TracedLibraries.Entry) {
        guard case .success(let layout) = entry.state, entry.defined.isEmpty else { return }
        do throws(TraceError) {
            var arguments = ProbeArguments(layout: layout)
            arguments.recordsValues = options.readsValues
            let values = options.readsValues ? layout.values : nil
            try define("reset", entry, arguments.reset, .reset, values)
            try define("finalize", entry, arguments.finalize, .finalize, values)
            try define("exec", entry, arguments.exec, .exec)
            decoder.layouts = libraries.layouts
            for function in ["reset", "finalize"] { try enable(function, entry) }
            if !entry.hasGoUser {
                try define("exec", entry, ProbeArguments.result, .execReturn, isReturn: true)
                try enable("exec_return", entry)
            }
            try enable("exec", entry)
        } catch {
            entry.state = .failure(error)
            for event in entry.enabled { try? instance.set(event, isEnabled: false) }
        }
    }

    private func define(
        _ function: String,
        _ entry: TracedLibraries.Entry,
        _ arguments: [String],
        _ meaning: EventDecoder.Meaning,
        _ values: StatementLayout.ValueLayout? = nil,
        isReturn: Bool = false
    ) throws(TraceError) {
        guard let point = entry.library.points["sqlite3_" + function] else { return }
        let name = function + (isReturn ? "_return" : "")
        let event = "\(name)_\(entry.number)"
        try instance.addProbe(
            isReturn ? "r" : "p",
            event,
            descriptor: entry.library.descriptor,
            offset: isReturn ? point.entry : point.offset,
            arguments: arguments
        )
        entry.defined.insert(event)
        if let format = instance.format(event) {
            events.add(meaning, library: entry.number, format, values: values)
        }
    }

    private func enable(_ name: String, _ entry: TracedLibraries.Entry) throws(TraceError) {
        let event = "\(name)_\(entry.number)"
        guard entry.defined.contains(event) else { return }
        try instance.set(event, isEnabled: true)
        entry.enabled.insert(event)
    }

    // MARK: Processes

    private func surveyProcesses() {
        let now = monotonicNanoseconds()
        for process in survey.proceed(at: now) {
            guard let facts = survey.processes[process] else { continue }
            problems[process] = nil
            let found = facts.code.compactMap { libraries.entry($0, of: process) }
            guard !facts.databases.isEmpty else { continue }
            if let problem = problem(of: facts, found) {
                problems[process] = problem
                continue
            }
            for entry in found {
                probe(entry)
                if case .failure(let error) = entry.state {
                    problems[process] = "its library \(entry.library.path): \(error.description)"
                }
            }
        }
        for process in problems.keys where survey.processes[process] == nil {
            problems[process] = nil
        }
    }

    /// Why the statements of a process that uses the database are not visible.
    private func problem(
        of facts: ProcessSurvey.Facts,
        _ libraries: [TracedLibraries.Entry]
    ) -> String? {
        guard libraries.isEmpty else { return nil }
        return facts.code.isEmpty
            ? "its memory map cannot be read"
            : "no file that it maps has the symbols of SQLite: it contains a stripped copy"
    }

    // MARK: Events

    /// Reads the events since the last call.
    ///
    /// - Returns: The executions on watched databases, in the order of their ends.
    @discardableResult
    public func poll() -> [StatementExecution] {
        let until = monotonicNanoseconds()
        var hasMore = true
        while hasMore {
            let read = instance.read()
            hasMore = read.hasMore
            counted += UInt64(read.records.count)
            early += read.records.compactMap { events.event($0) }
        }
        // Events of other processors with earlier times may not be readable yet.
        early.sort { $0.time < $1.time }
        let end = early.firstIndex { $0.time > until } ?? early.endIndex
        let batch = Array(early[..<end])
        early.removeFirst(end)
        for event in batch {
            if case .newProgram = event.kind { survey.expect(event.thread, at: until) }
        }
        let output = decoder.decode(batch)
        model.add(output)
        surveyProcesses()
        return output.compactMap { output in
            if case .execution(let execution) = output { execution } else { nil }
        }
    }

    // MARK: Report

    /// Adds statements, transactions and waits to the report on a database.
    public func complete(_ report: inout WatchReport) {
        let now = monotonicNanoseconds()
        let elapsed = Double(now - lastReport) / 1e9
        lastReport = now
        let lost = instance.lost
        if lost > 0 { model.noteLoss() }
        let names = survey.processes.mapValues(\.name)
        let start = calendarStart
        let surroundings = TraceModel.Surroundings(
            now: now,
            calendar: { time in
                let distance = Int64(bitPattern: time &- start.monotonic) / 1_000_000
                return WatchTime(milliseconds: start.milliseconds + distance)
            },
            name: { names[$0] ?? nil }
        )
        report.statements = model.statementReport(elapsed: elapsed)
        report.transactions = model.transactionReport(surroundings)
        report.blocked = model.blockReport(surroundings)
        report.tracing = tracing(at: now, lost: lost)
    }

    private func tracing(at now: UInt64, lost: UInt64) -> WatchedTracing {
        var tracing = WatchedTracing(level: options.level.rawValue)
        tracing.seconds = Double(now - start) / 1e9
        let probed = libraries.entries.filter { !$0.enabled.isEmpty }
        tracing.libraries = probed.map(\.library.path).sorted()
        let users = survey.processes.filter { !$0.value.databases.isEmpty }.keys.sorted()
        tracing.pids = users.filter { problems[$0] == nil }
        tracing.processesSlowed = survey.processes.filter { process, facts in
            facts.code.contains { mapping in
                libraries.entry(mapping, of: process).map { !$0.enabled.isEmpty } ?? false
            }
        }.count
        tracing.lost = lost
        tracing.events = counted
        tracing.unknownTexts = decoder.unknownTexts
        tracing.otherExecutions = decoder.otherExecutions
        tracing.notVisible = problems.sorted { $0.key < $1.key }.map { process, reason in
            WatchedTracing.Hidden(
                pid: process,
                name: survey.processes[process]?.name ?? nil,
                reason: reason
            )
        }
        tracing.notes = notes
        return tracing
    }
}
#endif
