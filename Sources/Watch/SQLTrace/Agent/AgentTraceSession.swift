#if os(Linux)
import CTrace
import Findings
import Glibc
import SQLiteWatch
import Telemetry
import Text

/// A trace of the statements of programs into which Poolgauge has loaded its library.
///
/// It requires no privileges. It sees all databases that the programs open, unless paths were
/// specified.
package final class AgentTraceSession: StatementTrace {
    private let ring: AgentRing
    private let options: SQLTraceOptions
    private let files: AgentFiles
    private var decoder: ExecutionDecoder
    /// The trace data of each database, in the order of `files.paths`.
    private var models: [TraceModel] = []
    private var connections = ConnectionTable()
    private var settings: AgentSettings?
    private let planner: PlanClient?
    private var nextPlanTime: UInt64 = 0
    private var nextSurveyTime: UInt64 = 0
    private let start = monotonicNanoseconds()
    private let calendarStart = SystemClock.calendarMilliseconds
    private var reportTime: UInt64
    private var recordCount: UInt64 = 0
    private var lost: UInt64 = 0
    private var gaps: [ClosedRange<UInt64>] = []
    private var pollTime: UInt64
    private var programs: [Int32: Program] = [:]
    private var names: [Int32: String] = [:]
    private var pendingFiles: [String] = []
    /// Whether there were more programs than can be told apart.
    private var hasMorePrograms = false
    /// Whether another process has started the programs.
    private let isAttached: Bool
    /// What receives all executions, instead of the trace data of each database.
    private var checks: StatementChecks?

    /// The reason why the command was started without the library, or `nil` if it has it.
    package private(set) var obstacle: String?

    private struct Program {
        /// The libraries and versions of its copies of SQLite, by number.
        var copies: [Int: (path: String, version: String)] = [:]
        var databases: Set<Int> = []
        var unseen: [ProbeRecord.UnseenReason: Int] = [:]
        var hasEnded = false
        /// Whether reports have nothing about the program.
        var isUnused: Bool { databases.isEmpty && unseen.isEmpty }
    }

    private static let programLimit = 4_096
    private static let copyLimit = 32
    private static let gapLimit = 1 << 14
    private static let surveyPause: UInt64 = 250_000_000
    private static let planPause: UInt64 = 1_000_000_000

    /// Creates memory for programs that ``start(_:library:)`` starts.
    ///
    /// - Parameters:
    ///   - options: The tracing options.
    ///   - paths: The databases to trace, or an empty array to trace all that the programs open.
    ///   - commands: The programs that plan statements and examine libraries. Without them,
    ///     reports contain no plans and no settings.
    /// - Throws: ``TraceError`` if the memory cannot be created.
    package convenience init(
        _ options: SQLTraceOptions = SQLTraceOptions(),
        paths: [String] = [],
        commands: SQLTraceCommands = SQLTraceCommands(calibration: [])
    ) throws(TraceError) {
        self.init(try AgentRing.created(), options, paths, commands.planning, isAttached: false)
        settings = AgentSettings(commands.calibration)
    }

    /// Creates memory for programs whose statements are only checked, on any number of databases.
    ///
    /// - Parameters:
    ///   - settings: The limits of the rules.
    ///   - planning: The path and arguments of a program that calls ``StatementPlanning/run()``.
    /// - Throws: ``TraceError`` if the memory cannot be created.
    package convenience init(
        checking settings: CheckSettings,
        planning: [String] = []
    ) throws(TraceError) {
        self.init(try AgentRing.created(), SQLTraceOptions(), [], planning, isAttached: false)
        checks = StatementChecks(settings) { [weak self] in self?.names[$0] }
        decoder = ExecutionDecoder { _, _ in .watched(0) }
    }

    init(
        _ ring: AgentRing,
        _ options: SQLTraceOptions,
        _ paths: [String] = [],
        _ planning: [String] = [],
        isAttached: Bool
    ) {
        self.ring = ring
        self.isAttached = isAttached
        self.options = options
        planner = planning.isEmpty ? nil : PlanClient(command: planning)
        let files = AgentFiles(paths: paths)
        self.files = files
        decoder = ExecutionDecoder { files.database(of: $0, path: $1) }
        reportTime = start
        pollTime = start
        if options.readsValues { ring.requestValues() }
        ring.startThread()
        addModels()
    }

    /// Starts a command whose statements the session traces, as the shell would start it.
    ///
    /// - Parameters:
    ///   - command: The program and its arguments.
    ///   - library: The path of `libpoolgauge_trace.so`, or `nil` if there is none.
    ///   - requiresLibrary: Whether to start the command only if it has the library.
    ///   - handled: The signals that this process already handles.
    /// - Returns: The process ID.
    /// - Throws: ``TraceError`` if the command cannot be started.
    package func start(
        _ command: [String],
        library: String?,
        requiresLibrary: Bool = false,
        handled: [Int32] = []
    ) throws(TraceError) -> Int32 {
        let program = TracedCommand(command)
        obstacle = program.obstacle(library: library)
        if requiresLibrary, let obstacle {
            throw TraceError(.command, "the SQL of the command is not visible: \(obstacle)")
        }
        let process = try program.start(
            library: obstacle == nil ? library : nil,
            memory: ring.descriptor,
            handled: handled
        )
        names[process] = command.first?.split(separator: "/").last.map { String($0) }
        return process
    }

    /// Returns a session on the memory of another Poolgauge process that this user may read, or `nil`
    /// if there is none.
    package static func opened(
        _ options: SQLTraceOptions = SQLTraceOptions(),
        paths: [String] = [],
        planning: [String] = []
    ) -> AgentTraceSession? {
        for process in (ProcFile.names(in: "/proc") ?? []).compactMap({ Int32($0) })
        where process != getpid() && ProcFile.text("/proc/\(process)/comm") == "poolgauge\n" {
            let folder = "/proc/\(process)/fd"
            for descriptor in (ProcFile.names(in: folder) ?? []).compactMap({ Int32($0) })
            where ProcFile.link("\(folder)/\(descriptor)")?
                .hasPrefix("/memfd:" + POOLGAUGE_RING_NAME) ?? false
            {
                if let ring = AgentRing.opened(of: process, descriptor) {
                    return AgentTraceSession(ring, options, paths, planning, isAttached: true)
                }
            }
        }
        return nil
    }

    /// The files that programs have opened since the last call.
    package var newFiles: [String] {
        defer { pendingFiles = [] }
        return pendingFiles
    }

    package func add(path: String) {
        files.add(path: path)
        addModels()
    }

    private func addModels() {
        while models.count < files.paths.count {
            var model = TraceModel()
            model.showsLiterals = options.showsLiterals
            let path = files.paths[models.count]
            if path != AgentFiles.memory { pendingFiles.append(path) }
            models.append(model)
        }
    }

    package func close() { ring.end() }

    // MARK: Records

    @discardableResult
    package func poll() -> [StatementExecution] {
        let batch = ring.take()
        let now = monotonicNanoseconds()
        if batch.lost > 0 {
            lost &+= batch.lost
            if gaps.count >= Self.gapLimit { gaps.removeFirst(Self.gapLimit / 2) }
            gaps.append(min(pollTime, now)...now)
            for number in models.indices { models[number].noteLoss() }
            checks?.noteLoss()
        }
        checks?.noteStall(from: pollTime, to: now)
        pollTime = now
        var executions: [StatementExecution] = []
        batch.bytes.withUnsafeBytes { bytes in
            for start in stride(from: 0, to: bytes.count, by: AgentRing.recordSize) {
                let record = bytes[start..<(start + AgentRing.recordSize)]
                guard
                    let record = ProbeRecord(
                        UnsafeRawBufferPointer(rebasing: record),
                        chunkSize: ProbeRecord.agentChunkSize
                    )
                else { continue }
                handle(record, executions: &executions)
            }
        }
        if now >= nextSurveyTime {
            nextSurveyTime = now + Self.surveyPause
            for (process, program) in programs where !program.hasEnded {
                if !SQLTraceSession.exists(process) { end(process, at: now) }
            }
            if programs.count > Self.programLimit / 2 {
                for (process, program) in programs where program.hasEnded && program.isUnused {
                    programs[process] = nil
                    names[process] = nil
                }
            }
        }
        return executions
    }

    private func handle(_ record: ProbeRecord, executions: inout [StatementExecution]) {
        let process = record.process
        guard process > 0 else { return }
        guard programs[process] != nil || programs.count < Self.programLimit else {
            hasMorePrograms = true
            return
        }
        if programs[process] == nil {
            guard !isAttached || ring.belongs(to: process) else { return }
            programs[process] = Program()
            files.noteRoot(of: process)
        }
        recordCount &+= 1
        // A shell may execute another program.
        let isNewProgram = if case .program = record.kind { true } else { false }
        if names[process] == nil || isNewProgram {
            names[process] =
                ProcFile.text("/proc/\(process)/comm")?.split(separator: "\n").first
                .map { String($0) } ?? names[process]
        }
        switch record.kind {
        // The library sends neither.
        case .values, .fork: return
        // Another reader of the same memory may have requested them.
        case .packedValues where !options.readsValues: return
        case .program: end(process, at: record.time)
        case .copy(let path, let version):
            guard record.library < Self.copyLimit else { return }
            programs[process]?.copies[record.library] = (PathText.text(of: path), version)
        case .unseen(let reason): programs[process]?.unseen[reason, default: 0] += 1
        default: break
        }
        let output = decoder.decode(record)
        addModels()
        switch output {
        case .execution(let execution, let database, let library):
            if let checks {
                let version = programs[process]?.copies[library]?.version
                return checks.add(execution, version: version)
            }
            guard models.indices.contains(database) else { return }
            let kind = models[database].add(execution)
            connections.add(execution, kind, database: database, library: library)
            programs[process]?.databases.insert(database)
            programs[process]?.hasEnded = false
            executions.append(execution)
        case .closed(let process, let connection, let time):
            let key = ConnectionKey(process: process, connection: connection)
            connections.end(key)
            checks?.end(key, at: time)
            for database in models.indices { models[database].end(key, at: time) }
        case nil: break
        }
    }

    private func end(_ process: Int32, at time: UInt64) {
        decoder.forget(process)
        connections.end(process: process)
        settings?.end(process: process)
        checks?.end(process: process)
        for database in models.indices { models[database].end(process: process, at: time) }
        programs[process]?.hasEnded = true
    }

    package func takeGaps() -> [Int32: [ClosedRange<UInt64>]] {
        defer { gaps = [] }
        guard !gaps.isEmpty else { return [:] }
        // All programs write to the same memory.
        return programs.mapValues { _ in gaps }
    }

    package func watchedConnections() -> [WatchedConnection] {
        models.indices.flatMap { connectionReport(of: $0).0 }
    }

    // MARK: Checks

    /// What a check saw.
    package struct Checked {
        package var observations: [CheckObservation]
        package var totals: StatementChecks.Totals
        /// The paths of the databases.
        package var databases: [String]
        /// What was not visible.
        package var notes: [String]
    }

    /// Ends the checks, after the command.
    package func finishChecks() -> Checked? {
        guard let checks else { return nil }
        let observations = checks.finish(
            keyTables: { path in
                guard FileIdentity(path: path) != nil else { return [] }
                let response = planner?.response(to: PlanRequest(path: path, statements: []))
                return Set(response?.keyTables ?? [])
            },
            isWAL: DatabaseFileHeader.isWAL
        )
        var notes = unseenNotes + [decoder.unknownFilesNote, manyProgramsNote].compactMap(\.self)
        let missing = lost &+ ring.counts.unread
        if missing > 0 {
            notes.append(
                "\(HumanUnits.exact(missing, "record")) of statements were lost, so counts are lower "
                    + "bounds and findings may be missing"
            )
        }
        if decoder.unknownTexts > 0 {
            let count = HumanUnits.exact(decoder.unknownTexts, "execution")
            notes.append("the texts of \(count) were not readable")
        }
        return Checked(
            observations: observations,
            totals: checks.totals,
            databases: checks.databases,
            notes: notes
        )
    }

    // MARK: Reports

    private func requestPlans() {
        let now = monotonicNanoseconds()
        guard let planner, now >= nextPlanTime else { return }
        for (number, path) in files.paths.enumerated() where path != AgentFiles.memory {
            let statements = models[number].statementsToPlan
            guard !statements.isEmpty else { continue }
            nextPlanTime = now + Self.planPause
            let request = PlanRequest(path: path, statements: statements.map(\.sql))
            models[number].setPlans(planner.response(to: request), for: statements)
        }
    }

    package func report() -> [String: TracedDatabase] {
        requestPlans()
        let now = monotonicNanoseconds()
        let elapsed = Double(now - min(now, reportTime)) / 1e9
        reportTime = now
        let (start, calendarStart, names) = (start, calendarStart, names)
        let context = TraceModel.ReportContext(
            now: now,
            calendar: { time in
                let distance = Int64(bitPattern: time &- start) / 1_000_000
                return WatchTime(milliseconds: calendarStart + distance)
            },
            name: { names[$0] }
        )
        var report: [String: TracedDatabase] = [:]
        for (number, path) in files.paths.enumerated() {
            // Other programs may use the database, whose statements are unknown.
            let isUsed = programs.values.contains { $0.databases.contains(number) }
            guard isUsed || !isAttached else { continue }
            let (connections, copies) = connectionReport(of: number)
            report[path] = TracedDatabase(
                statements: models[number].statementReport { _ in elapsed },
                transactions: models[number].transactionReport(context),
                blocked: models[number].blockReport(context),
                waits: models[number].waitReport(context),
                current: models[number].currentReport(running: [:], now: now),
                connections: connections,
                copies: copies,
                tracing: tracing(of: number, at: now)
            )
        }
        return report
    }

    /// Returns a report without statements on the databases in memory, which have no file, or `nil` if
    /// no program has executed a statement on one.
    package func memoryReport(_ window: WatchWindow) -> WatchReport? {
        guard files.paths.contains(AgentFiles.memory) else { return nil }
        return WatchReport(
            time: WatchTime(milliseconds: SystemClock.calendarMilliseconds),
            window: window,
            file: WatchedFile(path: AgentFiles.memory, state: .present),
            processes: [],
            pins: [],
            tables: [],
            episodes: [],
            notes: []
        )
    }

    private func connectionReport(of database: Int) -> ([WatchedConnection], [WatchedCopy]) {
        var copies: [String: WatchedCopy] = [:]
        let report = connections.report(of: database) { key, entry in
            guard let copy = programs[key.process]?.copies[entry.library] else { return .unknown }
            return settings?.read(key, path: entry.path, in: copy.path) ?? .unknown
        }.map { found in
            var connection = found.connection
            connection.name = names[connection.pid]
            guard let used = programs[connection.pid]?.copies[found.library] else {
                return connection
            }
            connection.library = used.path
            let key = "\(connection.pid) \(used.path)"
            var copy = copies[key] ?? WatchedCopy(pid: connection.pid, library: used.path)
            copy.name = connection.name
            copy.version = used.version
            copy.connections += 1
            copies[key] = copy
            return connection
        }
        return (report, copies.sorted { $0.key < $1.key }.map(\.value))
    }

    /// What the library in the programs does not see.
    private var unseenNotes: [String] {
        var notes: [String] = []
        for (process, program) in programs.sorted(by: { $0.key < $1.key }) {
            let name = WatchStatementText.process(names[process], pid: process)
            if let count = program.unseen[.replacedCallback] {
                let those = HumanUnits.counted(count, "connection", "connections")
                notes.append(
                    "\(name) has set its own trace callback on \(those), whose later statements "
                        + "are not visible"
                )
            }
            if program.unseen[.unknownLayout] != nil {
                notes.append(
                    "\(name) contains a copy of SQLite whose structures are unknown, so the "
                        + "statements of this copy are not visible"
                )
            }
            if options.readsValues, program.unseen[.unknownValues] != nil {
                notes.append(
                    "\(name) was not started with --values, or contains an unknown copy of SQLite, "
                        + "so its values are not visible"
                )
            }
        }
        return notes
    }

    private var manyProgramsNote: String? {
        hasMorePrograms
            ? "there were more than \(Self.programLimit) programs; the statements of the others "
                + "are not counted" : nil
    }

    private func tracing(of database: Int, at now: UInt64) -> WatchedTracing {
        var tracing = WatchedTracing(level: "full")
        tracing.source = WatchedTracing.agentSource
        tracing.seconds = Double(now - start) / 1e9
        let users = programs.filter { $0.value.databases.contains(database) }
        tracing.pids = users.keys.sorted()
        tracing.libraries = Set(users.values.flatMap { $0.copies.values.map(\.path) }).sorted()
        let counts = ring.counts
        tracing.lost = lost &+ counts.unread
        tracing.nestedExecutions = counts.nested
        tracing.events = recordCount
        tracing.unknownTexts = decoder.unknownTexts
        tracing.otherExecutions = decoder.otherExecutions
        tracing.notes += unseenNotes
        tracing.notes.append(
            "the time of a statement that returns rows contains the program's time between them"
        )
        if let note = decoder.unknownFilesNote { tracing.notes.append(note) }
        if let note = manyProgramsNote { tracing.notes.append(note) }
        if files.isFull {
            tracing.notes.append(
                "programs used more than \(AgentFiles.limit) databases, of which only the first "
                    + "are shown"
            )
        }
        return tracing
    }
}

#endif
