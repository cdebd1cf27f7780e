import Capture
import Findings
import Foundation
import SQLTrace
import SQLiteWatch
import Scenarios
import Telemetry
import Text
import WorkloadEngine

/// A trace of the statements that programs execute on a database.
struct LiveCapture {
    /// The time between two reads of the kernel's buffer.
    private static let pollInterval = Duration.milliseconds(20)
    private static let maximumExecutions = 5_000_000

    let database: String
    let duration: Duration
    var options = SQLTraceOptions()
    /// The command to start and to trace until its end, or an empty array to trace programs with
    /// probes.
    var command: [String] = []

    struct Result {
        var executions: [CapturedExecution] = []
        /// The limitations of the trace, one sentence each.
        var notes: [String] = []
        /// The writes of all programs, counted independently of the trace, or `nil` if no counter
        /// is available.
        var writeActivity: WriteActivity?
        /// The periods during which nothing of a process was recorded, in seconds on the trace's
        /// clock.
        var gaps: [Int: [ClosedRange<Double>]] = [:]
        /// The time of the trace, in seconds on its clock.
        var period: ClosedRange<Double>?
        /// The degree to which programs competed for processors.
        var competition = ProcessorCompetition()
        /// The speed of the processors, or `nil` if the capture was too short to measure it.
        var processorSpeed: ProcessorSpeed?
        var programs = CapturedPrograms()
    }

    /// Traces statements until the duration has passed or a signal interrupts the capture.
    ///
    /// - Throws: ``CommandFailure`` with a remedy if SQL cannot be traced.
    func run(_ interruption: Interruption) throws -> Result {
        var process: Int32?
        let session: any StatementTrace
        if command.isEmpty {
            session = try probes()
        } else {
            let started = try TracedProgram(
                command,
                paths: [database],
                options,
                requiresLibrary: true,
                handled: [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
            )
            (session, process) = (started.session, started.process)
        }
        defer { session.close() }
        let watch: WatchSession
        do {
            watch = try WatchSession(
                paths: [database],
                helper: ClientProcess.command(WatchHelperSubcommand.name)
            )
        } catch { throw CommandFailure(error.description, status: ExitStatus.failed.rawValue) }
        watch.sample()
        interruption.begin {}
        defer { interruption.begin(nil) }
        var result = Result()
        var processorWait = ProcessorWait()
        let clock = ContinuousClock()
        let end = clock.now + duration
        // Discard data collected before both sessions were running. A command has just started.
        _ = watch.reports()
        if process == nil { session.poll() }
        var hasEnded = process == nil
        // After the command is reaped, its ID can belong to another process.
        func isRunning() -> Bool {
            if let process, !hasEnded { hasEnded = waitpid(process, nil, WNOHANG) != 0 }
            return !hasEnded
        }
        let gauge = ProcessorGauge()
        defer { _ = gauge.finish() }
        let start = clock.now
        var nextRead = start + .seconds(1)
        while clock.now < end, interruption.signal == nil,
            process == nil || isRunning(),
            result.executions.count < Self.maximumExecutions
        {
            watch.run(for: Self.pollInterval) { interruption.signal != nil }
            let executions = session.poll()
            for process in Set(executions.map(\.process)).subtracting(processorWait.known) {
                processorWait.read(process)
            }
            if clock.now >= nextRead {
                for process in processorWait.known { processorWait.read(process) }
                // Programs and connections that end during the capture count, too.
                result.programs.add(session.watchedConnections())
                nextRead = clock.now + .seconds(1)
            }
            for execution in executions { add(execution, to: &result) }
        }
        result.processorSpeed = gauge.finish()
        // A terminal sends ^C and ^\ to the command, too.
        if let process, isRunning(), let signal = interruption.signal, signal != SIGINT,
            signal != SIGQUIT
        {
            kill(process, signal)
        }
        // The last statements of a command that has ended.
        for execution in session.poll() { add(execution, to: &result) }
        for process in processorWait.known { processorWait.read(process) }
        result.competition = ProcessorCompetition(processorWait, in: clock.now - start)
        if result.executions.count >= Self.maximumExecutions {
            result.notes.append(
                "the capture ended early, after \(Self.maximumExecutions) executions"
            )
        }
        result.addGaps(session.takeGaps(), of: clock.now - start)
        var reports = watch.reports()
        session.completeReports(&reports)
        if let report = reports.first { add(report, to: &result) }
        return result
    }

    private func probes() throws -> SQLTraceSession {
        do throws(TraceError) {
            return try SQLTraceSession(
                paths: [database],
                commands: SQLTraceCommands(
                    calibration: ClientProcess.command(SQLCalibrationSubcommand.name),
                    opening: ClientProcess.command(OpenGateSubcommand.name)
                ),
                options: options
            )
        } catch {
            throw CommandFailure(
                "SQL cannot be traced: \(error.description); alternatively, use --from to read a "
                    + "log of the program, which does not require root",
                status: ExitStatus.failed.rawValue
            )
        }
    }

    private func add(_ report: WatchReport, to result: inout Result) {
        result.writeActivity = WriteActivity(report)
        result.programs.add(report)
        guard let tracing = report.tracing else { return }
        if tracing.lost > 0 {
            result.notes.append(
                "at least \(tracing.lost) \(tracing.lost == 1 ? "event was" : "events were") lost; "
                    + "all rates exclude the affected periods"
            )
        }
        if tracing.unknownTexts > 0 {
            let executions = tracing.unknownTexts == 1 ? "execution" : "executions"
            result.notes.append(
                "the SQL of \(tracing.unknownTexts) \(executions) could not be read"
            )
        }
        // The names of processes and libraries come from other programs.
        result.notes += tracing.notVisible
            .map { Escaping.terminal("pid \($0.pid) is not visible: \($0.reason)") }
        result.notes += tracing.notes.map(Escaping.terminal)
    }

    private func add(_ execution: StatementExecution, to result: inout Result) {
        // The notes in the report already count executions without text.
        guard let sql = execution.sql else { return }
        result.executions.append(CapturedExecution(execution, sql: sql))
    }
}

extension CapturedPrograms {
    /// Adds the names of processes, which distinguish those of one program, and the settings of
    /// their connections.
    mutating func add(_ report: WatchReport) {
        for process in report.processes { setName(process.name, of: Int(process.pid)) }
        add(report.connections ?? [])
    }

    mutating func add(_ connections: [WatchedConnection]) {
        for connection in connections {
            let process = Int(connection.pid)
            if let name = connection.name, !isNamed(process) { setName(name, of: process) }
            set(connection.settings.pragmas, of: "\(process)/\(connection.connection)")
        }
    }
}

extension ConnectionSettings {
    /// The known settings, as values of pragmas.
    fileprivate var pragmas: [String: String] {
        var values: [String: String] = [:]
        // A handler of the program's own has no timeout that is known.
        if hasOwnBusyHandler != true {
            values["busy_timeout"] = busyTimeoutMilliseconds.map { String($0) }
        }
        if hasOwnCommitHook != true {
            values["wal_autocheckpoint"] = autocheckpointFrames.map { String($0) }
        }
        values["synchronous"] = synchronous?.rawValue
        values["journal_mode"] = journalMode?.rawValue
        values["cache_size"] = cacheSize.map { String($0) }
        values["mmap_size"] = mmapBytes.map { String($0) }
        values["foreign_keys"] = foreignKeys.map { $0 ? "1" : "0" }
        return values
    }
}

extension ProcessorCompetition {
    fileprivate init(_ wait: ProcessorWait, in period: Duration) {
        let (running, waiting) = wait.total
        self.init(
            share: waiting / max(1, running + waiting),
            waitingThreads: waiting / max(1, period / .nanoseconds(1))
        )
    }
}

extension LiveCapture.Result {
    /// Adds the periods during which the trace recorded nothing of a process.
    ///
    /// A period that has not ended lasts until the end of the trace.
    fileprivate mutating func addGaps(
        _ periods: [Int32: [ClosedRange<UInt64>]],
        of length: Duration
    ) {
        func seconds(_ time: UInt64) -> Double { Double(time) / 1e9 }
        let end = seconds(monotonicNanoseconds())
        period = max(0, end - length / .seconds(1))...end
        for (process, periods) in periods {
            gaps[Int(process)] = periods.map {
                seconds(
                    $0.lowerBound
                )...max(seconds($0.lowerBound), min(seconds($0.upperBound), end))
            }
        }
    }
}

extension CapturedExecution {
    /// Creates an execution from a traced one.
    fileprivate init(_ execution: StatementExecution, sql: String) {
        self.init(
            end: Double(execution.end) / 1e9,
            process: Int(execution.process),
            connection: String(execution.connection, radix: 16),
            sql: sql,
            code: Int(execution.result),
            autocommit: execution.isAutocommit,
            seconds: execution.seconds,
            elapsed: execution.elapsed,
            betweenSteps: execution.secondsBetweenSteps ?? 0,
            waited: execution.secondsWaited,
            rows: execution.rows.map { Int(clamping: $0) },
            values: execution.values.map { WorkloadValue($0) }
        )
        traceSeconds = execution.traceSeconds
    }
}

extension WorkloadValue {
    /// Converts a traced value.
    ///
    /// Blobs become null, because their contents are not traced.
    fileprivate init(_ value: StatementValue) {
        self =
            switch value {
            case .null, .blob: .null
            case .integer(let integer): .integer(integer)
            case .real(let real): .real(real)
            case .text(let text): .text(text)
            }
    }
}
