import ArgumentParser
import GRDBTarget
import WorkloadEngine

struct CompareSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compare a scenario's arms in blocks of runs, and report which arm is better.",
        discussion: "In each block, every arm runs once, in random order, on a fresh copy of the "
            + "same data. The first arm runs twice to measure the noise of this machine; smaller "
            + "differences are ignored. With --against, compares two programs instead of two "
            + "arms; both programs run the same arm. ^C ends the comparison and reports the "
            + "completed blocks, marked as partial."
    )

    @Argument(
        help: "The name of a preset, or the path to a YAML file.",
        completion: .list(Presets.all.map(\.name))
    )
    var scenario: String

    @Option(
        help: ArgumentHelp(
            "The arms to compare, separated by commas, starting with the baseline; by default, "
                + "queue, queue-wal and pool."
        )
    )
    var arms: String?

    @OptionGroup var programs: ProgramOptions

    @Option(help: "The number of blocks.")
    var blocks = ComparisonOptions().blocks

    @OptionGroup var changes: ScenarioOptions

    @Option(
        help: ArgumentHelp(
            "The primary metrics of the comparison, separated by commas, such as "
                + "ui.response.p99; by default, the scenario's primary metrics.",
            valueName: "metrics"
        )
    )
    var primary: String?

    @Option(
        name: .customLong("fail-if"),
        help: ArgumentHelp(
            "Exit with status 2 if a metric's ratio to its value in the first arm meets this "
                + "condition, such as \"ui.response.p99 > 1.1x\", or \"pool: pay.throughput < "
                + "0.9x\" for a single arm; can be repeated.",
            valueName: "condition"
        )
    )
    var failIf: [String] = []

    @OptionGroup var data: DatabaseOptions

    @Option(help: "The format of the report.")
    var format = ComparisonFormat.text

    @Option(
        help: "The file for the report; standard output by default.",
        completion: .file()
    )
    var output: String?

    @Option(help: "When to show progress on standard error.")
    var progress = ProgressMode.auto

    func validate() throws {
        guard (1...ComparisonOptions.maximumBlocks).contains(blocks) else {
            throw ValidationError(
                "--blocks must be from 1 to \(ComparisonOptions.maximumBlocks), not \(blocks)"
            )
        }
    }

    func run() throws {
        try data.check(for: self.scenario)
        let scenario = try changes.load(self.scenario)
        var options = ComparisonOptions()
        options.blocks = blocks
        if let duration = changes.duration { options.duration = duration.duration }
        options.programs = try programs.programs(for: scenario, changes, arms: arms)
        options.arms = try list(arms, of: "--arms")
        options.primary = try list(primary, of: "--primary")
        let names = try options.armNames(in: scenario)
        guard names.count > 1 else {
            throw CommandFailure(
                "a comparison requires at least two arms; the arms of \(scenario.name) are "
                    + scenario.arms.map(\.name).joined(separator: ", ")
            )
        }
        options.failIf = try failIf.map { text in
            do { return try FailCondition(text, in: scenario, arms: names) } catch {
                throw CommandFailure("--fail-if \(error)")
            }
        }
        let folder = try RunFolder(isKept: false)
        defer { folder.remove() }
        let destination = try ReportDestination(path: output)
        let reporter = ProgressReporter(progress)
        options.run.folder = folder.url
        options.run.database = try data.copy(for: self.scenario, in: folder.url) {
            reporter.showStep($0)
        }
        options.run.processCommand = ClientProcess.command
        options.versions = HeadlessRun.versions
        options.onProgress = { reporter.showStep($0) }
        let comparison = ComparisonRun(
            scenario: scenario,
            factory: LibraryTargetFactory(),
            options: options
        )
        let cleanUp: @Sendable () -> Void = {
            comparison.killProgram()
            folder.remove()
        }
        let interruption = Interruption(cleanUp: cleanUp) { comparison.stop() }
        let result = try blocking { try await comparison.run() }
        reporter.finish()
        switch format {
        case .text: try destination.write(ComparisonReport.text(of: result))
        case .json: try destination.write(JSONReport.text(of: result))
        case .csv: try destination.write(ComparisonCSV.text(of: result))
        case .markdown: try destination.write(ComparisonReport.markdown(of: result))
        case .html: try destination.write(ComparisonHTML.text(of: result))
        case .junit: try destination.write(JUnitReport.text(of: result))
        }
        if let signal = interruption.signal { throw ExitCode(128 + signal) }
        throw ExitCode(result.exitStatus.rawValue)
    }

    /// Parses comma-separated names, or returns `nil` if the option is not specified.
    private func list(_ text: String?, of option: String) throws -> [String]? {
        guard let text else { return nil }
        let names = text.split(separator: ",").map { $0.trimmingWhitespace }
            .filter { !$0.isEmpty }
        guard !names.isEmpty else { throw CommandFailure("\(option): '\(text)' contains no names") }
        return names
    }
}

extension StringProtocol {
    fileprivate var trimmingWhitespace: String {
        let start = drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}
