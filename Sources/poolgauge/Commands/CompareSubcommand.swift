import ArgumentParser
import GRDBTarget
import WorkloadEngine

/// `poolgauge compare`.
struct CompareSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Run a scenario's arms in alternating blocks, and compare their medians.",
        discussion: "Every block runs each arm once, in an order drawn from the seed, on a fresh "
            + "copy of the same data."
    )

    @Argument(help: "A preset's name, or the path of a YAML file.")
    var scenario: String

    @Option(help: "The arms to compare, separated by commas; all by default.")
    var arms: String?

    @Option(help: "How many blocks.")
    var blocks = 5

    @Option(
        help: "How long the measured part of each run lasts, such as 2s.",
        transform: TimeArgument.parse
    )
    var duration: TimeArgument?

    @Option(
        help: "The size of a preset dataset: 100,000 accounts or 1,000 records each.",
        transform: NumberArgument.positive
    )
    var scale: Int?

    @Option(help: "The seed of all randomness.", transform: NumberArgument.seed)
    var seed: UInt64?

    @Option(help: "How the report is written.")
    var format = ComparisonFormat.text

    @Option(help: "The file that receives the report; standard output by default.")
    var output: String?

    @Option(help: "When progress is shown on standard error.")
    var progress = ProgressMode.auto

    func validate() throws {
        guard (1...1000).contains(blocks) else {
            throw ValidationError("--blocks must be 1 to 1000, not \(blocks)")
        }
    }

    func run() throws {
        try TemporaryFolder.check()
        var scenario = try Scenario.load(nameOrPath: self.scenario)
        if let scale { scenario = try scenario.with(scale: scale) }
        if let seed { scenario = scenario.with(seed: seed) }
        let names = arms?.split(separator: ",").map { $0.trimmingWhitespace }
        if let arms, names?.isEmpty ?? true {
            throw CommandFailure("--arms names no arm: '\(arms)'")
        }
        let chosen = try scenario.arms(named: names ?? [])
        guard chosen.count > 1 else {
            throw CommandFailure(
                "a comparison needs two arms at least; \(scenario.name) has: "
                    + scenario.arms.map(\.name).joined(separator: ", ")
            )
        }
        let destination = try ReportDestination(path: output)
        let reporter = ProgressReporter(progress)
        var options = ComparisonOptions()
        options.run.processCommand = ClientProcess.command
        options.blocks = blocks
        if let duration { options.duration = duration.duration }
        options.arms = chosen.map(\.name)
        options.onProgress = { reporter.say($0) }
        let comparison = ComparisonRun(
            scenario: scenario,
            factory: LibraryTargetFactory(),
            options: options
        )
        let interruption = Interruption { comparison.stop() }
        let result = try blocking { try await comparison.run() }
        reporter.finish()
        switch format {
        case .text: try destination.write(ComparisonReport.text(of: result))
        case .json: try destination.write(JSONReport.text(of: result))
        }
        if let signal = interruption.signal { throw ExitCode(128 + signal) }
        throw ExitCode(result.exitStatus.rawValue)
    }
}

extension StringProtocol {
    /// The text without the blanks around it.
    fileprivate var trimmingWhitespace: String {
        let start = drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}
