import ArgumentParser
import GRDBTarget
import WorkloadEngine

/// `poolgauge compare`.
struct CompareSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Run a scenario's arms in random order, block by block, and say which is better.",
        discussion: "In each block every arm runs once on a fresh copy of the same data, the first "
            + "arm twice: that shows the noise of this machine, and no smaller difference counts. "
            + "^C ends it: the completed blocks are reported, and marked partial."
    )

    @Argument(
        help: "A preset's name, or the path of a YAML file.",
        completion: .list(Presets.all.map(\.name))
    )
    var scenario: String

    @Option(
        help: ArgumentHelp(
            "The arms to compare, separated by commas, the one that the others are judged against "
                + "first; queue, queue-wal and pool by default."
        )
    )
    var arms: String?

    @Option(help: "How many blocks.")
    var blocks = ComparisonOptions().blocks

    @OptionGroup var changes: ScenarioOptions

    @Option(
        help: ArgumentHelp(
            "The metrics to decide on, separated by commas, such as ui.response.p99; those that "
                + "the scenario declares by default.",
            valueName: "metrics"
        )
    )
    var primary: String?

    @Option(
        name: .customLong("fail-if"),
        help: ArgumentHelp(
            "Exit with status 2 if an arm's metric over the first arm's is beyond a limit, such as "
                + "\"ui.response.p99 > 1.1x\", or \"pool: pay.throughput < 0.9x\" for one arm; may "
                + "be given several times.",
            valueName: "condition"
        )
    )
    var failIf: [String] = []

    @OptionGroup var data: DatabaseOptions

    @Option(help: "How the report is written.")
    var format = ComparisonFormat.text

    @Option(
        help: "The file that receives the report; standard output by default.",
        completion: .file()
    )
    var output: String?

    @Option(help: "When progress is shown on standard error.")
    var progress = ProgressMode.auto

    func validate() throws {
        guard (1...ComparisonOptions.maximumBlocks).contains(blocks) else {
            throw ValidationError(
                "--blocks must be 1 to \(ComparisonOptions.maximumBlocks), not \(blocks)"
            )
        }
    }

    func run() throws {
        try data.check(for: self.scenario)
        let scenario = try changes.load(self.scenario)
        var options = ComparisonOptions()
        options.blocks = blocks
        if let duration = changes.duration { options.duration = duration.duration }
        options.arms = try list(arms, of: "--arms")
        options.primary = try list(primary, of: "--primary")
        let names = try options.armNames(in: scenario)
        guard names.count > 1 else {
            throw CommandFailure(
                "a comparison needs two arms at least; \(scenario.name) has: "
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
            reporter.say($0)
        }
        options.run.processCommand = ClientProcess.command
        options.versions = HeadlessRun.versions
        options.onProgress = { reporter.say($0) }
        let comparison = ComparisonRun(
            scenario: scenario,
            factory: LibraryTargetFactory(),
            options: options
        )
        let interruption = Interruption(cleanUp: folder.remove) { comparison.stop() }
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

    /// The names in a list with commas; nil when the option was not given.
    private func list(_ text: String?, of option: String) throws -> [String]? {
        guard let text else { return nil }
        let names = text.split(separator: ",").map { $0.trimmingWhitespace }
            .filter { !$0.isEmpty }
        guard !names.isEmpty else { throw CommandFailure("\(option) names nothing: '\(text)'") }
        return names
    }
}

extension StringProtocol {
    /// The text without the blanks around it.
    fileprivate var trimmingWhitespace: String {
        let start = drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}
