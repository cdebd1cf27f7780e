import ArgumentParser
import GRDBTarget
import Recording
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

    @OptionGroup var source: ScenarioArgument

    @Option(
        help: ArgumentHelp(
            "The arms to compare, separated by commas, starting with the baseline; by default, "
                + "queue, queue-wal, and pool."
        ),
        transform: NamesArgument.parse
    )
    var arms: NamesArgument?

    @OptionGroup var programs: ProgramOptions

    @Option(help: "The number of blocks.")
    var blocks = ComparisonOptions().blocks

    @OptionGroup var changes: ScenarioOptions

    @Option(
        help: ArgumentHelp(
            "The primary metrics of the comparison, separated by commas, such as "
                + "ui.response.p99; by default, the scenario's primary metrics.",
            valueName: "metrics"
        ),
        transform: NamesArgument.parse
    )
    var primary: NamesArgument?

    @Option(
        name: .customLong("fail-if"),
        help: ArgumentHelp(
            "Exit with status 2 if the ratio of an arm's metric to the first arm's meets this "
                + "condition, such as \"ui.response.p99 > 1.1x\", or \"pool: pay.throughput < "
                + "0.9x\" for a single arm; can be repeated.",
            valueName: "condition"
        )
    )
    var failIf: [String] = []

    @OptionGroup var data: DatabaseOptions

    @OptionGroup var report: ReportOptions<ReportFormat>

    @OptionGroup var recording: RecordingOptions

    @OptionGroup var recordedSQL: RecordedSQLOptions

    func validate() throws {
        guard (1...ComparisonOptions.maximumBlocks).contains(blocks) else {
            throw ValidationError(
                "--blocks must be from 1 to \(ComparisonOptions.maximumBlocks), not \(blocks)"
            )
        }
        try DistinctFiles.check(
            outputs: [.init("--output", report.output), .init("--record", recording.record)],
            inputs: [
                .scenario(source.scenario), .init("--database", data.database),
                .init("--against", programs.against), .init("--binary", programs.binary),
            ]
        )
    }

    func run() throws {
        try data.check(for: source.scenario)
        let scenario = try changes.load(source.scenario)
        var options = ComparisonOptions()
        options.blocks = blocks
        if let duration = changes.duration { options.duration = duration.duration }
        options.programs = try programs.programs(for: scenario, changes, arms: arms)
        options.arms = arms?.names
        options.primary = primary?.names
        let names = try options.armNames(in: scenario)
        guard names.count > 1 else {
            throw CommandFailure(
                "a comparison requires at least two arms, but "
                    + (names.isEmpty ? "none is" : "only '\(names.joined())' is") + " selected; "
                    + "the arms of \(scenario.name) are: "
                    + scenario.arms.map(\.name).joined(separator: ", ")
            )
        }
        options.failIf = try failIf.map { text in
            do { return try FailCondition(text, in: scenario, arms: names) } catch {
                throw CommandFailure("--fail-if \(error)")
            }
        }
        let series = try RunSeries(progress: report.progress)
        defer { series.folder.remove() }
        let destination = try report.destination()
        try series.prepare(&options, data: data, for: source.scenario)
        let recording = try self.recording.start(
            RecordingInfo(.run, title: scenario.name, scenario: scenario.source),
            keepsLiterals: recordedSQL.literals
        )
        defer { recording?.finish() }
        if let recorder = recording?.recorder {
            options.run.onSample = { recorder.record(.run($0)) }
        }
        let comparison = ComparisonRun(
            scenario: scenario,
            factory: LibraryTargetFactory(),
            options: options
        )
        let cleanUp: @Sendable () -> Void = {
            comparison.killProgram()
            series.folder.remove()
        }
        let interruption = Interruption(cleanUp: cleanUp) { comparison.stop() }
        let result = try blocking { try await comparison.run() }
        series.reporter.finish()
        try destination.write(report.format.report(on: result))
        throw interruption.exitCode(or: result.exitStatus)
    }
}
