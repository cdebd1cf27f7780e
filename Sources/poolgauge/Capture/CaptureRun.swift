import ArgumentParser
import Capture
import Foundation
import SQLiteWatch
import Telemetry
import WorkloadEngine

/// Makes a scenario of captured executions, writes it, and tries it.
struct CaptureRun {
    private let database: String
    private let output: String
    var options: CaptureOptions
    var replacesOutput = false
    /// How long the scenario runs for the comparison with the capture; nil for not at all.
    var checkDuration: Duration?
    /// What the programs wrote during a live capture.
    private var written: WrittenLoad?

    init(database: String, output: String) {
        self.database = database
        self.output = output
        options = CaptureOptions(
            database: DatabaseReference.path(of: database, from: output)
        )
    }

    /// Captures from a file of JSON lines.
    ///
    /// - Throws: ``CommandFailure`` with a remedy.
    func run(from source: String) throws {
        try checkOutput()
        let data = try Self.data(of: source)
        let name = source == "-" ? "standard input" : source
        let folder = try RunFolder(isKept: false)
        defer { folder.remove() }
        let copy = try CaptureCopy(of: database, in: folder.url)
        var run = self
        run.options.origin = URL(fileURLWithPath: name).lastPathComponent
        try run.write(copy, in: folder) { () throws(CaptureError) in
            try ExecutionReader.executions(of: data, file: name)
        } from: {
            name
        }
    }

    /// Captures what programs execute on the database from now on.
    ///
    /// - Throws: ``CommandFailure`` with a remedy.
    func run(_ live: LiveCapture) throws {
        try checkOutput()
        let folder = try RunFolder(isKept: false)
        defer { folder.remove() }
        // First, so that a refused copy wastes no capture, and so that the scenario starts with
        // the rows with which the capture started.
        let copy = try CaptureCopy(of: database, in: folder.url)
        let result = try live.run()
        guard !result.executions.isEmpty else {
            throw CommandFailure(
                (["no program executed a statement on '\(database)' in this time"] + result.notes)
                    .joined(separator: "\n"),
                status: ExitStatus.failed.rawValue
            )
        }
        var run = self
        run.options.origin =
            "the programs that use "
            + URL(fileURLWithPath: database).lastPathComponent
        run.options.notes = result.notes
        run.options.observedCommits = result.written.map { Int(clamping: $0.commits) }
        run.written = result.written
        try run.write(copy, in: folder) { () throws(CaptureError) in
            result.executions
        } from: {
            nil
        }
    }

    private static func data(of source: String) throws -> Data {
        if source == "-" { return FileHandle.standardInput.readDataToEndOfFile() }
        do {
            return try Data(contentsOf: URL(fileURLWithPath: source))
        } catch {
            throw CommandFailure(
                "--from: '\(source)' cannot be read: \(error.localizedDescription)"
            )
        }
    }

    private func checkOutput() throws {
        guard !replacesOutput, FileManager.default.fileExists(atPath: output) else { return }
        throw CommandFailure(
            "'\(output)' exists; name another --output, or replace it with --force"
        )
    }

    /// Analyses executions, writes the scenario and compares it with a run.
    private func write(
        _ copy: CaptureCopy,
        in folder: RunFolder,
        _ executions: () throws(CaptureError) -> [CapturedExecution],
        from name: () -> String?
    ) throws {
        let captured = try writeScenario(on: copy, in: folder.url, executions, from: name)
        let count = captured.operations.count
        try StandardOutput.write(
            PrintableText.escaped("wrote \(output): \(count) operations") + "\n"
        )
        let scenario = try Scenario.load(nameOrPath: outputPath)
        if let checkDuration {
            try compare(captured, scenario, on: copy, for: checkDuration)
        }
    }

    /// Analyses executions and writes the scenario.
    private func writeScenario(
        on copy: CaptureCopy,
        in folder: URL,
        _ executions: () throws(CaptureError) -> [CapturedExecution],
        from name: () -> String?
    ) throws -> CapturedScenario {
        let schema = try CaptureDatabase(copy, of: database).schema
        var options = options
        options.journal = copy.journal
        let sync = HostEnvironment(in: folder).syncNanoseconds
        options.syncSeconds = sync.map { Double($0) / 1e9 }
        let captured: CapturedScenario
        do {
            let analysis = try CaptureAnalysis(executions(), schema: schema, file: name())
            captured = try CapturedScenario(analysis, schema: schema, options: options)
        } catch {
            throw CommandFailure(error.description)
        }
        do {
            try Data(captured.yaml.utf8).write(
                to: URL(fileURLWithPath: output),
                options: .atomic
            )
        } catch {
            throw CommandFailure(
                "'\(output)' cannot be written: \(error.localizedDescription)",
                status: ExitStatus.failed.rawValue
            )
        }
        return captured
    }

    /// The path of the scenario's file, which no preset's name can be taken for.
    private var outputPath: String { output.contains("/") ? output : "./" + output }

    /// Runs the scenario's present arm on a copy, and reports how like the capture it is.
    private func compare(
        _ captured: CapturedScenario,
        _ scenario: Scenario,
        on copy: CaptureCopy,
        for duration: Duration
    ) throws {
        let scenario = try scenario.scaled(toMeasured: duration)
        guard let arm = scenario.arms.first(where: { $0.name == CapturedScenario.presentArm })
        else {
            return
        }
        let reporter = ProgressReporter(.auto)
        let folder = try RunFolder(isKept: false)
        defer { folder.remove() }
        var options = RunOptions()
        options.folder = folder.url
        options.database = .copy(of: copy.file)
        options.onSample = { reporter.show($0) }
        options.onProgress = { reporter.say($0) }
        let counts = RowCounts()
        let watch = Lock<ReplayWatch?>(nil)
        let length = scenario.phases.reduce(Duration.zero) { $0 + $1.duration }
        let run = WorkloadRun(
            scenario: scenario,
            arm: arm,
            factory: RowCountingFactory(counts) { [written] path in
                // Without a count of the capture, there is nothing to compare with.
                if written != nil { watch.withLock { $0 = ReplayWatch(path: path, for: length) } }
            },
            options: options
        )
        let copyFolder = copy.file.deletingLastPathComponent()
        let interruption = Interruption {
            folder.remove()
            try? FileManager.default.removeItem(at: copyFolder)
        } _: {
            run.stop()
        }
        let result: ArmResult
        do {
            result = try blocking { try await run.run() }
        } catch is CancellationError {
            return
        }
        reporter.finish()
        let report = FidelityReport(captured, result) { counts.mean(of: $0) }
        // Names of tables and clients are text of other programs.
        let lines = report.lines.map(PrintableText.escaped)
        try StandardOutput.write("\n" + lines.joined(separator: "\n") + "\n")
        if let written, let replayed = watch.withLock({ $0 })?.finish() {
            try StandardOutput.write(Self.text(of: written, replayed))
        }
        if let signal = interruption.signal { throw ExitCode(128 + signal) }
    }

    /// What was written, in the capture and in the run.
    private static func text(of captured: WrittenLoad, _ replayed: WrittenLoad) -> String {
        func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }
        func frames(_ load: WrittenLoad) -> String {
            load.framesPerCommit.map { "\(($0 * 10).rounded() / 10)" } ?? "unknown"
        }
        return
            "frames for each commit: \(frames(captured)) captured, \(frames(replayed)) replayed\n"
            + "a process held the lock to write for \(percent(captured.writerShare)) of the time, "
            + "\(percent(replayed.writerShare)) replayed\n"
    }
}
