import ArgumentParser
import Capture
import Findings
import Foundation
import Recording
import SQLiteWatch
import Scenarios
import Synchronization
import Telemetry
import Text
import WorkloadEngine

/// A capture, which converts executions to a scenario, and then writes and runs the scenario.
struct CaptureRun {
    private let database: String
    private let output: String
    var options: CaptureOptions
    var replacesOutput = false
    /// The duration of the run to compare with the capture, or `nil` to skip the run.
    var checkDuration: Duration?
    /// The writes of all programs during a live capture.
    private var writeActivity: WriteActivity?
    /// The periods during which a live capture recorded nothing of a process, in seconds on the
    /// trace's clock.
    private var gaps: [Int: [ClosedRange<Double>]] = [:]
    /// The time of a live capture.
    private var period: ClosedRange<Double>?
    /// The degree to which programs competed for processors during a live capture.
    private var competition = ProcessorCompetition()
    /// The speed of the processors during a live capture, or `nil` if it is unknown.
    private var processorSpeed: ProcessorSpeed?
    private var programs = CapturedPrograms()

    init(database: String, output: String) {
        self.database = database
        self.output = output
        options = CaptureOptions(
            database: DatabaseReference.path(of: database, from: output)
        )
    }

    /// Captures the executions in a file of JSON lines.
    ///
    /// - Throws: ``CommandFailure`` with a remedy if the capture fails.
    func run(from source: String) throws {
        let destination = try destination()
        let data = try Self.data(of: source)
        let name = source == "-" ? "standard input" : source
        let folders = CaptureFolders()
        defer { folders.remove() }
        let interruption = Interruption(cleanUp: folders.remove, nil)
        let copy = try CaptureCopy(of: database, in: folders.make())
        var run = self
        run.options.origin = URL(fileURLWithPath: name).lastPathComponent
        try run.write(copy, to: destination, in: folders, interruption: interruption) {
            () throws(CaptureError) in
            try ExecutionReader.executions(of: data, file: name)
        } from: {
            name
        }
    }

    /// Captures the statements that programs execute on the database during a trace.
    ///
    /// - Throws: ``CommandFailure`` with a remedy if the capture fails.
    func run(_ live: LiveCapture) throws {
        let destination = try destination()
        let folders = CaptureFolders()
        defer { folders.remove() }
        let interruption = Interruption(cleanUp: folders.remove, nil)
        // Copy the database first. If the copy fails, no time is spent on a trace. In addition, the
        // scenario starts with the rows that existed at the start of the trace.
        let copy = try CaptureCopy(of: database, in: folders.make())
        let result = try live.run(interruption)
        guard !result.executions.isEmpty else {
            let reason =
                "no program executed a statement on '\(database)' during the capture; "
                + "capture for longer with --for, or list the programs that use the file with "
                + "`poolgauge top`"
            throw CommandFailure(
                ([reason] + result.notes).joined(separator: "\n"),
                status: ExitStatus.failed.rawValue
            )
        }
        var run = self
        run.options.origin =
            "the programs that use "
            + URL(fileURLWithPath: database).lastPathComponent
        run.options.notes = result.notes
        run.options.observedCommits = result.writeActivity.map { Int($0.commits) }
        run.writeActivity = result.writeActivity
        run.gaps = result.gaps
        run.period = result.period
        run.competition = result.competition
        run.processorSpeed = result.processorSpeed
        run.programs = result.programs
        try run.write(copy, to: destination, in: folders, interruption: interruption) {
            () throws(CaptureError) in
            result.executions
        } from: {
            nil
        }
    }

    /// Captures the executions in a recording of `top --sql`.
    ///
    /// - Throws: ``CommandFailure`` with a remedy if the recording does not contain statements.
    func run(from recording: RecordingReader) throws {
        let destination = try destination()
        let recorded = try RecordedExecutions(recording, database: database)
        let folders = CaptureFolders()
        defer { folders.remove() }
        let interruption = Interruption(cleanUp: folders.remove, nil)
        let copy = try CaptureCopy(of: database, in: folders.make())
        var run = self
        run.options.origin = URL(fileURLWithPath: recording.path).lastPathComponent
        run.options.notes = recorded.notes
        run.programs = recorded.programs
        try run.write(copy, to: destination, in: folders, interruption: interruption) {
            () throws(CaptureError) in
            recorded.executions
        } from: {
            nil
        }
    }

    private static func data(of source: String) throws -> Data {
        if source == "-" { return FileHandle.standardInput.readDataToEndOfFile() }
        guard FileManager.default.fileExists(atPath: source) else {
            throw CommandFailure("--from: there is no file '\(source)'; check the path")
        }
        do {
            return try Data(contentsOf: URL(fileURLWithPath: source))
        } catch {
            throw CommandFailure(
                "--from: '\(source)' cannot be read: \(error.localizedDescription)"
            )
        }
    }

    /// Returns the destination of the scenario, after checking that it can be written.
    private func destination() throws -> ReportDestination {
        try ReportDestination(newFile: output, replacesFile: replacesOutput)
    }

    private func write(
        _ copy: CaptureCopy,
        to destination: ReportDestination,
        in folders: CaptureFolders,
        interruption: Interruption,
        _ executions: () throws(CaptureError) -> [CapturedExecution],
        from name: () -> String?
    ) throws {
        let folder = try folders.make()
        var plan = try plan(on: copy, in: folder, executions, from: name)
        var captured = try plan.scenario()
        try destination.write(captured.yaml)
        let count = captured.operations.count
        try StandardOutput.write(
            Escaping.terminal(
                "wrote \(output): \(count) \(count == 1 ? "operation" : "operations")"
            ) + "\n"
        )
        guard let checkDuration else {
            _ = try scenario(of: captured)
            return
        }
        func run(_ scenario: CapturedScenario) throws -> Check {
            try self.check(
                scenario,
                on: copy,
                in: folder,
                interruption: interruption,
                for: checkDuration
            )
        }
        /// Returns `nil` if the run is interrupted. The last complete check then remains true.
        func runAgain(_ scenario: CapturedScenario) throws -> Check? {
            do {
                let check = try run(scenario)
                return interruption.signal == nil ? check : nil
            } catch is ExitCode { return nil }
        }
        var check = try run(captured)
        var notes: [String] = []
        // A change of the machine's speed needs no corrections.
        if let difference = check.report.differences.first, check.report.mayDependOnSpeed,
            interruption.signal == nil, let again = try runAgain(captured),
            again.report.mayDependOnSpeed,
            again.report.distance < check.report.distance
        {
            notes = ["checked twice: the other check differed more (\(difference.text))"]
            check = again
        }
        // Only a file can be written again.
        var checks = 0
        while checks < Self.adjustmentLimit, destination.isFile, !check.report.isFaithful {
            let rows = check.report.rows
            guard interruption.signal == nil,
                let next = plan.adjustment.corrected(
                    by: rows,
                    of: captured,
                    // The last check corrects pauses.
                    changesValues: checks + 1 < Self.adjustmentLimit
                )
            else { break }
            var other = plan
            other.adjustment = next
            let adjusted = try other.scenario()
            if adjusted.yaml == captured.yaml {
                if plan.adjustment.reject(next, of: captured, rows: rows) { continue }
                break
            }
            checks += 1
            guard let result = try runAgain(adjusted) else { break }
            guard result.report.distance < check.report.distance else {
                let isRejected = plan.adjustment.reject(
                    next,
                    of: captured,
                    rows: rows,
                    next: result.report.rows
                )
                if isRejected { continue }
                break
            }
            try destination.write(adjusted.yaml)
            (plan, captured, check) = (other, adjusted, result)
        }
        let corrections = plan.adjustment.descriptions
        if !corrections.isEmpty {
            notes = ["adjusted after a check: " + corrections.joined(separator: ", ")]
        }
        try report(check, notes: notes, interruption: interruption)
    }

    private func scenario(of captured: CapturedScenario) throws -> Scenario {
        try Scenario.parse(yaml: captured.yaml, file: outputPath)
    }

    /// The number of times that a capture corrects its values and pauses by what its check shows.
    private static let adjustmentLimit = 3

    /// A scenario that can be written again with other values and pauses.
    private struct Plan {
        var analysis: CaptureAnalysis
        var schema: CaptureSchema
        var options: CaptureOptions
        var adjustment = FidelityAdjustment()

        func scenario() throws -> CapturedScenario {
            do {
                return try CapturedScenario(
                    analysis,
                    schema: schema,
                    options: options,
                    adjustment: adjustment
                )
            } catch { throw CommandFailure(error.description) }
        }
    }

    private func plan(
        on copy: CaptureCopy,
        in folder: URL,
        _ executions: () throws(CaptureError) -> [CapturedExecution],
        from name: () -> String?
    ) throws -> Plan {
        let tables = try CaptureDatabase(copy, of: database)
        let schema = tables.schema
        var options = options
        options.words = tables.words
        options.journal = copy.journal
        let sync = HostEnvironment(in: folder).syncNanoseconds
        options.syncSeconds = sync.map { Double($0) / 1e9 }
        do {
            let analysis = try CaptureAnalysis(
                executions(),
                schema: schema,
                file: name(),
                competition: competition,
                gaps: gaps,
                period: period,
                programs: programs
            )
            return Plan(analysis: analysis, schema: schema, options: options)
        } catch {
            throw CommandFailure(error.description)
        }
    }

    /// The path of the scenario file, to which the path of the database in it is relative.
    private var outputPath: String { output.contains("/") ? output : "./" + output }

    private struct Check {
        var report: FidelityReport
        /// The writes during the run, or `nil` if they are unknown.
        var writeActivity: WriteActivity?
    }

    /// Runs the scenario's present arm on a copy, and compares it with the capture.
    private func check(
        _ captured: CapturedScenario,
        on copy: CaptureCopy,
        in folder: URL,
        interruption: Interruption,
        for duration: Duration
    ) throws -> Check {
        let scenario = try scenario(of: captured).scaled(toMeasured: duration)
        guard let arm = scenario.arms.first(where: { $0.name == CapturedScenario.presentArm })
        else {
            throw CommandFailure("the scenario has no arm '\(CapturedScenario.presentArm)'")
        }
        let reporter = ProgressReporter(.auto)
        var options = RunOptions()
        options.folder = folder
        options.database = .copy(of: copy.file)
        options.onSample = { reporter.show($0) }
        options.onProgress = { reporter.showStep($0) }
        let counts = RowCounts()
        let watch = Lock<ReplayWatch?>(nil)
        let gauge = Lock<ProcessorGauge?>(nil)
        defer { _ = gauge.withLock { $0 }?.finish() }
        let length = scenario.phases.reduce(Duration.zero) { $0 + $1.duration }
        let run = WorkloadRun(
            scenario: scenario,
            arm: arm,
            factory: RowCountingFactory(counts) { [writeActivity, processorSpeed] path in
                // Without measurements from the capture, there is nothing to compare.
                if writeActivity != nil {
                    watch.withLock { $0 = ReplayWatch(path: path, for: length) }
                }
                if processorSpeed != nil { gauge.withLock { $0 = ProcessorGauge() } }
            },
            options: options
        )
        interruption.begin { run.stop() }
        let result: ArmResult
        do {
            result = try blocking { try await run.run() }
        } catch is CancellationError {
            reporter.finish()
            _ = watch.withLock { $0 }?.finish(isEarly: true)
            throw ExitCode(128 + (interruption.signal ?? SIGINT))
        }
        reporter.finish()
        return Check(
            report: FidelityReport(
                captured,
                result,
                processors: ProcessorChange(
                    captured: processorSpeed,
                    replayed: gauge.withLock { $0 }?.finish()
                )
            ) { counts.mean(of: $0) },
            writeActivity: watch.withLock({ $0 })?.finish(isEarly: interruption.signal != nil)
        )
    }

    /// Prints how closely the scenario matches the capture, and ends with its exit status.
    private func report(
        _ check: Check,
        notes: [String],
        interruption: Interruption
    ) throws {
        if let writeActivity, let replayed = check.writeActivity {
            try StandardOutput.write("\n" + Self.text(of: writeActivity, replayed))
        }
        // The names of tables and clients come from other programs.
        let lines = notes + check.report.lines
        try StandardOutput.write(
            "\n" + lines.map(Escaping.terminal).joined(separator: "\n") + "\n"
        )
        if let signal = interruption.signal { throw ExitCode(128 + signal) }
        if !check.report.isFaithful { throw ExitCode(ExitStatus.unfaithful.rawValue) }
    }

    private static func text(of captured: WriteActivity, _ replayed: WriteActivity) -> String {
        func percent(_ share: Double) -> String { "\(Int((share * 100).rounded()))%" }
        func frames(_ activity: WriteActivity) -> String {
            activity.framesPerCommit.map { "\(($0 * 10).rounded() / 10)" } ?? "unknown"
        }
        return
            "frames per commit: \(frames(captured)) captured, \(frames(replayed)) replayed\n"
            + "time with the write lock held: \(percent(captured.writerShare)) captured, "
            + "\(percent(replayed.writerShare)) replayed\n"
    }
}

/// The write activity of a load, derived from locks and from the wal-index or the change counter.
struct WriteActivity: Equatable {
    /// The number of commits that changed a page.
    var commits: UInt64
    /// The number of frames written by these commits, or `nil` without a write-ahead log.
    var frames: UInt64?
    /// The share of time during which a process held the write lock, from 0 through 1.
    var writerShare: Double

    /// Extracts the activity from a report, or returns `nil` if the report does not count commits.
    init?(_ report: WatchReport) {
        guard let commits = report.wal?.commits ?? report.rollback?.transactions else { return nil }
        self.commits = commits
        frames = report.wal?.framesWritten
        writerShare = min(1, report.processes.reduce(0) { $0 + $1.share.writer.value })
    }

    /// The mean number of frames per commit, or `nil` without commits or a write-ahead log.
    var framesPerCommit: Double? {
        guard let frames, commits > 0 else { return nil }
        return Double(frames) / Double(commits)
    }
}

/// A separate process that watches a run's database.
///
/// A process that uses a database through SQLite must not open and close the database's files
/// separately, because closing a file releases SQLite's locks.
///
/// `@unchecked Sendable` is safe because the run's thread creates the watch, and the caller uses
/// the watch only after the run.
final class ReplayWatch: @unchecked Sendable {
    private let process = Process()
    private let output = Pipe()

    /// Starts watching, or returns `nil` if the process cannot be started.
    init?(path: String, for duration: Duration) {
        let command = ClientProcess.command("top")
        process.executableURL = URL(fileURLWithPath: command[0])
        let milliseconds = Int(duration / .milliseconds(1))
        process.arguments =
            Array(command.dropFirst()) + [path, "--for", "\(milliseconds)ms", "--format", "json"]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { return nil }
    }

    /// Waits for the process to end and returns the measured write activity.
    ///
    /// - Parameter isEarly: Whether to end the process immediately, because the run ended early.
    /// - Returns: The write activity, or `nil` if the process failed.
    func finish(isEarly: Bool) -> WriteActivity? {
        if isEarly { process.terminate() }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard let report = try? JSONDecoder().decode(WatchReport.self, from: data) else {
            return nil
        }
        return WriteActivity(report)
    }
}

/// The temporary folders of a capture, which are removed when the capture ends or is interrupted.
final class CaptureFolders: Sendable {
    private let folders = Mutex<[RunFolder]>([])

    /// Creates an empty folder.
    ///
    /// - Throws: ``CommandFailure`` with the reason if the folder cannot be created.
    func make() throws -> URL {
        try folders.withLock { folders in
            let folder = try RunFolder(isKept: false)
            folders.append(folder)
            return folder.url
        }
    }

    @Sendable func remove() {
        for folder in folders.withLock({ $0 }) { folder.remove() }
    }
}
