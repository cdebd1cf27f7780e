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
    private var files: WatchedFiles
    private let instance: TraceInstance
    private let guardian: GuardianProcess
    private var libraries: TracedLibraries
    private var survey: ProcessSurvey
    private var events = EventDecoder()
    private var decoder: ExecutionDecoder
    /// What is known of each database, in the order of their paths.
    private var models: [TraceModel] = []
    /// The names of programs, also of those that have ended.
    private var names: [Int32: String] = [:]
    /// Events that happened after the last batch was read.
    private var early: [TraceEvent] = []
    private let start: UInt64
    private var counted: UInt64 = 0
    private var lastReport: UInt64
    private var problems: [Int32: String] = [:]
    private var notes: [String] = []
    private static let nameLimit = 4_096
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
        let files = WatchedFiles(paths: paths)
        self.files = files
        // Before the first probe exists.
        guardian = try GuardianProcess(command: commands.guardian, name: owner.name)
        instance = try TraceInstance(folder: folder, name: owner.name)
        libraries = TracedLibraries(calibration: Calibration(command: commands.calibration))
        survey = ProcessSurvey(paths: files.paths)
        survey.excluded = [getpid()]
        decoder = ExecutionDecoder(memory: ProcMemory()) { files.database(of: $0, path: $1) }
        models = files.paths.map { _ in Self.model(options) }
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

    private static func model(_ options: SQLTraceOptions) -> TraceModel {
        var model = TraceModel()
        model.showsLiterals = options.showsLiterals
        return model
    }

    /// Shows the statements on another database as well.
    public func add(path: String) {
        files.add(path: path)
        survey.paths = files.paths
        models.append(Self.model(options))
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
            if let name = facts.name, !facts.code.isEmpty || !facts.databases.isEmpty {
                if names.count > Self.nameLimit { names = [:] }
                names[process] = name
            }
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
        var executions: [StatementExecution] = []
        for output in output {
            switch output {
            case .execution(let execution, let database):
                models[database].add(execution)
                executions.append(execution)
            case .ended(let process, let time):
                for database in models.indices { models[database].end(process: process, at: time) }
            }
        }
        surveyProcesses()
        return executions
    }

    // MARK: Report

    /// Adds statements, transactions and waits to the reports on the databases.
    public func complete(_ reports: inout [WatchReport]) {
        let now = monotonicNanoseconds()
        let elapsed = Double(now - lastReport) / 1e9
        lastReport = now
        let lost = instance.lost
        let start = calendarStart
        let names = names
        let surroundings = TraceModel.Surroundings(
            now: now,
            calendar: { time in
                let distance = Int64(bitPattern: time &- start.monotonic) / 1_000_000
                return WatchTime(milliseconds: start.milliseconds + distance)
            },
            name: { names[$0] }
        )
        for index in reports.indices {
            guard let number = files.paths.firstIndex(of: reports[index].file.path) else { continue }
            if lost > 0 { models[number].noteLoss() }
            reports[index].statements = models[number].statementReport(elapsed: elapsed)
            reports[index].transactions = models[number].transactionReport(surroundings)
            reports[index].blocked = models[number].blockReport(surroundings)
            reports[index].tracing = tracing(of: number, at: now, lost: lost)
        }
    }

    private func tracing(of number: Int, at now: UInt64, lost: UInt64) -> WatchedTracing {
        var tracing = WatchedTracing(level: options.level.rawValue)
        tracing.seconds = Double(now - start) / 1e9
        let probed = libraries.entries.filter { !$0.enabled.isEmpty }
        tracing.libraries = probed.map(\.library.path).sorted()
        let users = survey.processes.filter { $0.value.databases.contains(number) }
            .keys.sorted()
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
        tracing.notVisible = users.compactMap { process in
            problems[process].map {
                WatchedTracing.Hidden(pid: process, name: names[process], reason: $0)
            }
        }
        tracing.notes = notes
        return tracing
    }
}
#endif
