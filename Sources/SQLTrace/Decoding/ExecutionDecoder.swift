import SQLText

/// A decoder that converts the events of all threads, ordered by time, to statement executions.
///
/// The decoder tracks the process of each thread, the file of each connection, and the text of each
/// statement.
struct ExecutionDecoder {
    /// A closure that returns the watched database to which a path in a process refers.
    typealias FileMatch = (_ process: Int32, _ path: String) -> WatchedFileMatch

    enum Output: Sendable, Equatable {
        /// An execution and the number of its watched database.
        case execution(StatementExecution, Int)
        /// A connection was closed, which ends its transaction.
        case closed(process: Int32, connection: UInt64, time: UInt64)
        /// A process has ended or executed a new program, so its connections no longer exist.
        case ended(process: Int32, time: UInt64)
    }

    /// The layouts of the libraries, by library number.
    var layouts: [Int: StatementLayout] = [:]
    /// The period in which a statement must start to be timed, or `nil` if no statements are timed.
    var window: ClosedRange<UInt64>?

    /// The time that the probes add to each recorded step, in nanoseconds.
    var stepOverhead: UInt64 = 0
    /// The time that the probes add between two steps of a statement, in nanoseconds.
    var overheadBetweenSteps: UInt64 = 0

    /// The libraries without return probes, for which only the start of `sqlite3_exec` calls is
    /// recorded.
    var librariesWithoutReturns: Set<Int> = []

    let memory: any ProcessMemory
    private let database: FileMatch
    var processes: [Int32: TracedProcess] = [:]
    private(set) var threads: [Int32: Int32] = [:]
    var calls: [Int32: [OpenCall]] = [:]

    /// The number of discarded executions on other database files.
    private(set) var otherExecutions: UInt64 = 0
    /// The number of discarded executions on files that could not be identified.
    private(set) var unknownFiles: UInt64 = 0
    /// The number of executions on watched files with unreadable text.
    private(set) var unknownTexts: UInt64 = 0

    /// The texts of the batch's new statements, or `nil` before ``prepare(_:at:)``.
    var texts: BatchTexts?

    /// The maximum length of a statement's text, in bytes.
    static let textLimit = 1 << 16
    /// The maximum number of tracked threads, and of tracked statements per process.
    private static let capacity = 1 << 16

    init(memory: any ProcessMemory, database: @escaping FileMatch) {
        self.memory = memory
        self.database = database
    }

    /// Decodes a batch of events.
    ///
    /// - Parameters:
    ///   - events: The events, none of which is older than an event of an earlier batch.
    ///   - later: The events after the batch, read after the call to ``prepare(_:at:)``.
    /// - Returns: The executions, and the ends of connections and processes, ordered by time.
    mutating func decode(_ events: [TraceEvent], followedBy later: [TraceEvent] = []) -> [Output] {
        if texts == nil { prepare(events) }
        var texts = texts.take() ?? BatchTexts()
        texts.addFinal(later) { process(of: $0) }
        let started = texts.threads
        for (index, event) in later.enumerated() {
            texts.files.add(event, at: events.count + index) { started[$0] ?? process(of: $0) }
        }
        var output: [Output] = []
        for (index, event) in events.enumerated() {
            switch event.kind {
            case .newThread(let thread, let isProcess):
                let process = isProcess ? thread : process(of: event.thread)
                threads[thread] = process
                if isProcess {
                    memory.forget(thread)
                    processes[thread] = TracedProcess(isNew: true)
                }
            case .newProgram:
                let process = process(of: event.thread)
                memory.forget(process)
                processes[process] = TracedProcess(isNew: true)
                calls[event.thread] = nil
                output.append(.ended(process: process, time: event.time))
            case .exit(let isProcess):
                let process = process(of: event.thread)
                calls[event.thread] = nil
                if isProcess ?? (process == event.thread) {
                    memory.forget(process)
                    processes[process] = nil
                    output.append(.ended(process: process, time: event.time))
                    threads = threads.filter { $0.value != process }
                }
                threads[event.thread] = nil
            case .end(let end):
                if let found = execution(end, event, texts, at: index) {
                    output.append(.execution(found.0, found.database))
                }
            case .execStart(let start) where librariesWithoutReturns.contains(start.library):
                let found = execution(of: start, result: 0, event, seconds: nil)
                if let found { output.append(.execution(found.0, found.database)) }
            case .execStart(let start): push(start, event)
            case .close(let connection):
                let process = process(of: event.thread)
                processes[process]?.connections[connection] = nil
                processes[process]?.connectionsChecked.remove(connection)
                output.append(.closed(process: process, connection: connection, time: event.time))
            case .execEnd(let result):
                if let found = endExec(result, event) {
                    output.append(.execution(found.0, found.database))
                }
            case .stepStart(let start): push(start, event)
            case .stepEnd(let result): endStep(result, event)
            }
        }
        if threads.count > Self.capacity { threads = [:] }
        return output
    }

    /// Discards all statements, connections, and calls after a loss of events, because their
    /// addresses may have been reused.
    mutating func forget() {
        processes = [:]
        calls = [:]
    }

    /// Returns the process of a thread, or the thread ID itself if the thread has ended.
    mutating func process(of thread: Int32) -> Int32 {
        if let process = threads[thread] { return process }
        let process = memory.process(ofThread: thread) ?? thread
        threads[thread] = process
        return process
    }

    // MARK: Reset and finalize

    private mutating func execution(
        _ end: TraceEvent.StatementEnd,
        _ event: TraceEvent,
        _ texts: BatchTexts,
        at index: Int
    ) -> (StatementExecution, database: Int)? {
        guard end.statement != 0, end.connection != 0 else { return nil }
        let process = process(of: event.thread)
        var traced = processes[process] ?? TracedProcess(isNew: false)
        defer {
            if end.source == .finalize { traced.finalize(end.statement) }
            if traced.statements.count > Self.capacity { traced.statements = [:] }
            processes[process] = traced
        }
        var known = traced.statements[end.statement]
        if known?.sql != end.sql { known = nil }
        let timing = traced.timings.removeValue(forKey: end.statement)
        restartStep(of: end.statement, event.thread)
        // Programs may reset a statement that has not run since the last reset.
        guard end.programCounter >= 0 else { return nil }
        let path = texts.files.path(of: end.connection, process, from: index)
        let file = file(of: end.connection, library: end.library, process, &traced, path)
        guard let file, case .watched(let database) = file.match else {
            countDiscarded(file)
            return nil
        }
        var statement =
            known
            ?? TracedStatement(
                sql: end.sql,
                instructionCount: traced.isNew || traced.finalized.contains(end.statement)
                    ? 0 : nil
            )
        if statement.text == nil {
            let key = StatementKey(process: process, statement: end.statement, sql: end.sql)
            statement.text = end.text ?? texts.text(of: key, from: index)
            statement.text = statement.text.map(SecretKeys.redacted)
        }
        if statement.text == nil { unknownTexts &+= 1 }
        // The counter accumulates over all executions, and a program may reset it to 0.
        let instructionCount = statement.instructionCount.flatMap {
            end.instructionCount >= $0 ? end.instructionCount - $0 : nil
        }
        statement.instructionCount = end.instructionCount
        traced.statements[end.statement] = statement
        var execution = StatementExecution(
            end: event.time,
            process: process,
            thread: event.thread,
            connection: end.connection,
            statement: end.statement,
            source: end.source,
            database: file.path,
            sql: statement.text,
            result: end.result,
            isAutocommit: end.isAutocommit,
            secondsWaited: busyWaitSeconds(end),
            steps: instructionCount
        )
        execution.start = timing?.start
        if let timing, timing.isCut {
            execution.seconds = Double(event.time - min(timing.start, event.time)) / 1e9
        } else if let timing {
            execution.rows = timing.rows
            execution.seconds = Double(timing.nanoseconds) / 1e9
            execution.secondsBetweenSteps = timing.secondsBetweenSteps(
                until: event.time,
                probes: overheadBetweenSteps
            )
        }
        if !end.values.isEmpty, let text = statement.text, !SecretKeys.contains(text) {
            execution.values = end.values
        }
        return (execution, database)
    }

    private func busyWaitSeconds(_ end: TraceEvent.StatementEnd) -> Double? {
        guard let calls = end.busyCalls, let timeout = end.busyTimeout else { return nil }
        if calls > 0 {
            // A custom handler may use different delays.
            let limit = timeout > 0 ? Int(timeout) : nil
            return BusyWaits.seconds(calls: Int(calls), timeout: limit)
        }
        guard end.result & 0xff == 5 else { return 0 }
        // A negative count means that the handler stopped after the timeout. Without a handler, the
        // statement did not wait.
        if calls < 0 { return timeout > 0 ? Double(timeout) / 1_000 : nil }
        return 0
    }

    // MARK: Connections

    func file(
        of connection: UInt64,
        library: Int,
        _ process: Int32,
        _ traced: inout TracedProcess,
        _ recorded: String?
    ) -> TracedProcess.File? {
        // Check once per batch, because a new connection may reuse the address of a closed
        // connection.
        let known = traced.connections[connection]
        if let recorded {
            if known?.path == recorded { return known }
        } else if traced.connectionsChecked.contains(connection) {
            return known
        }
        traced.connectionsChecked.insert(connection)
        guard let path = recorded ?? filePath(of: connection, library, process) else {
            return known
        }
        if let known, known.path == path { return known }
        let file = TracedProcess.File(path: path, match: database(process, path))
        traced.connections[connection] = file
        return file
    }

    /// Returns the path of a connection's file, from the process's memory.
    private func filePath(of connection: UInt64, _ library: Int, _ process: Int32) -> String? {
        layouts[library].flatMap { layout in
            memory.follow(layout.filePointers, from: connection, ofProcess: process)
                .flatMap { memory.text(ofProcess: process, at: $0, limit: 4_096) }
        }
    }

    private mutating func countDiscarded(_ file: TracedProcess.File?) {
        if file?.match == .other { otherExecutions &+= 1 } else { unknownFiles &+= 1 }
    }

    // MARK: Exec

    /// A call that has not returned.
    enum OpenCall {
        case exec(TraceEvent.ExecStart, time: UInt64)
        case step(TraceEvent.StepStart, time: UInt64)
    }

    /// The maximum number of open calls per thread, because return events may be lost.
    private static let callLimit = 64

    private mutating func push(_ start: TraceEvent.ExecStart, _ event: TraceEvent) {
        push(.exec(start, time: event.time), event.thread)
    }

    mutating func push(_ call: OpenCall, _ thread: Int32) {
        var open = calls[thread] ?? []
        if open.count >= Self.callLimit { open.removeFirst() }
        open.append(call)
        calls[thread] = open
    }

    private mutating func endExec(
        _ result: Int32,
        _ event: TraceEvent
    ) -> (StatementExecution, database: Int)? {
        var found: (start: TraceEvent.ExecStart, time: UInt64)?
        while let call = calls[event.thread]?.popLast() {
            if case .exec(let start, let time) = call {
                found = (start, time)
                break
            }
        }
        guard let (start, time) = found else { return nil }
        endSteps(ofExecStartedAt: time, event.thread)
        let seconds = Double(event.time - min(time, event.time)) / 1e9
        return execution(of: start, result: result, event, seconds: seconds)
    }

    private mutating func execution(
        of start: TraceEvent.ExecStart,
        result: Int32,
        _ event: TraceEvent,
        seconds: Double?
    ) -> (StatementExecution, database: Int)? {
        let process = process(of: event.thread)
        var traced = processes[process] ?? TracedProcess(isNew: false)
        defer { processes[process] = traced }
        let file = file(of: start.connection, library: start.library, process, &traced, start.file)
        guard let file, case .watched(let database) = file.match else {
            countDiscarded(file)
            return nil
        }
        let text =
            start.text ?? memory.text(ofProcess: process, at: start.sql, limit: Self.textLimit)
        if let text, InternalStatements.contains(text) { return nil }
        if text == nil { unknownTexts &+= 1 }
        var isAutocommit = start.isAutocommit
        if let text, result == 0 {
            isAutocommit = SQLStatements.autocommit(after: text, from: isAutocommit)
        }
        let execution = StatementExecution(
            end: event.time,
            process: process,
            thread: event.thread,
            connection: start.connection,
            statement: 0,
            source: .exec,
            database: file.path,
            sql: text.map(SecretKeys.redacted),
            result: result,
            isAutocommit: isAutocommit,
            seconds: seconds
        )
        return (execution, database)
    }
}

/// Statements that SQLite runs internally.
private enum InternalStatements {
    /// Returns whether SQLite uses text passed to `sqlite3_exec` to read the schema or statistics.
    static func contains(_ text: String) -> Bool {
        text.hasPrefix("SELECT*FROM\"") && text.hasSuffix(" ORDER BY rowid")
            || text.hasPrefix("SELECT tbl,idx,stat FROM ")
            || text.hasPrefix("SELECT name, rootpage, sql FROM ")
    }
}
