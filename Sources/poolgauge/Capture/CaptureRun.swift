import Capture
import Foundation
import GRDBTarget
import WorkloadEngine

/// Makes a scenario of captured executions, writes it, and tries it.
struct CaptureRun {
    private let database: String
    private let output: String
    var options: CaptureOptions
    var replacesOutput = false
    var checkDuration = Duration.seconds(5)

    init(database: String, output: String) {
        self.database = database
        self.output = output
        options = CaptureOptions(database: Self.reference(to: database, from: output))
    }

    /// The path of the database as the scenario's file refers to it: a name where both lie in one
    /// folder, absolute otherwise.
    private static func reference(to database: String, from output: String) -> String {
        let file = URL(fileURLWithPath: database).standardizedFileURL
        let folder = URL(fileURLWithPath: output).standardizedFileURL.deletingLastPathComponent()
        // A relative path that has no slash would not be looked up beside a file that has none.
        let isBeside = file.deletingLastPathComponent().path == folder.path
        return isBeside ? file.lastPathComponent : file.path
    }

    /// Captures from a file of JSON lines.
    ///
    /// - Throws: ``CommandFailure`` with a remedy.
    func run(from source: String) throws {
        try checkOutput()
        let data = try Self.data(of: source)
        let name = source == "-" ? "standard input" : source
        var copy = self
        copy.options.origin = URL(fileURLWithPath: name).lastPathComponent
        try copy.write { () throws(CaptureError) in
            try ExecutionReader.executions(of: data, file: name)
        } from: {
            name
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
        _ executions: () throws(CaptureError) -> [CapturedExecution],
        from name: () -> String?
    ) throws {
        let folder = try RunFolder(isKept: false)
        defer { folder.remove() }
        let facts = try CaptureDatabase(at: database, in: folder.url)
        var options = options
        options.journal = facts.journal
        let captured: CapturedScenario
        do {
            let analysis = try CaptureAnalysis(
                executions(),
                schema: facts.schema,
                file: name()
            )
            captured = try CapturedScenario(analysis, schema: facts.schema, options: options)
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
        try StandardOutput.write("wrote \(output): \(captured.operations.count) operations\n")
        let scenario = try Scenario.load(nameOrPath: outputPath)
        guard checkDuration > .zero else { return }
        try compare(captured, scenario)
    }

    /// The path of the scenario's file, which no preset's name can be taken for.
    private var outputPath: String { output.contains("/") ? output : "./" + output }

    private func compare(_ captured: CapturedScenario, _ scenario: Scenario) throws {
        let present = scenario.arms.filter { $0.name == CapturedScenario.presentArm }
        var run = HeadlessRun(
            scenario: try scenario.scaled(toMeasured: checkDuration),
            arms: present
        )
        run.progress = .auto
        let (result, _) = try run.measure()
        guard let arm = result.runs.first else { return }
        try StandardOutput.write("\n" + FidelityReport(captured, arm).text)
    }
}
