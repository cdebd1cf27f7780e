import ArgumentParser
import Comparison
import GRDBTarget
import Recording
import Scenarios

struct CompareSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compare a scenario's arms in blocks of runs, and report which arm is better.",
        discussion: "In each block, every arm runs once, in random order, on a fresh copy of the "
            + "same data. The first arm runs twice to measure the noise of this machine; smaller "
            + "differences are ignored. "
            + "With --sweep, compares two arms at each value "
            + "of a setting, or one arm at the other values with the same arm at the first value. "
            + "^C ends the comparison and reports the completed blocks, marked as partial."
    )

    @OptionGroup var source: ScenarioArgument

    @Option(
        help: ArgumentHelp(
            "The arms to compare, separated by commas, starting with the baseline; by default, "
                + "queue, queue-wal, and pool, or the first queue and the first pool with --sweep."
        ),
        transform: NamesArgument.parse
    )
    var arms: NamesArgument?

    @OptionGroup var programs: ProgramOptions

    @OptionGroup var sweep: SweepOptions

    @Option(
        help: "The number of blocks; by default, 10, or as many as the values of --sweep require."
    )
    var blocks: Int?

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
        guard (1...ComparisonOptions.maximumBlocks).contains(blocks ?? 1) else {
            throw ValidationError(
                "--blocks must be from 1 to \(ComparisonOptions.maximumBlocks), not \(blocks ?? 0)"
            )
        }
        try sweep.check(report.format, failIf: failIf)
        try DistinctFiles.check(
            outputs: [.init("--output", report.output), .init("--record", recording.record)],
            inputs: [
                .scenario(source.scenario), .init("--database", data.database),
            ]
        )
    }

    func run() throws {
        try data.check(for: source.scenario)
        let original = try Scenario.load(nameOrPath: source.scenario)
        let scenario = try changes.apply(to: original)
        var options = ComparisonOptions()
        if let blocks { options.blocks = blocks }
        if let duration = changes.duration { options.duration = duration.duration }
        options.arms = arms?.names
        options.primary = primary?.names
        options.sweep = try sweep.comparison(of: scenario, arms: arms?.names) { setting in
            try changes.apply(to: original, adding: setting)
        }
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
        let interruption: Interruption
        let result: ComparisonResult
        if let values = options.sweep {
            let run = SweepRun(
                values,
                of: scenario,
                factory: LibraryTargetFactory(),
                options: options,
                blocks: blocks,
                duration: changes.duration?.duration,
                limit: sweep.limit
            )
            interruption = Interruption(cleanUp: series.folder.remove) { run.stop() }
            series.reporter.showStep("building the data")
            let schedule = try blocking { try await run.rehearse() }
            if report.progress != .never, interruption.signal == nil {
                series.reporter.announce(sweep.announcement(of: schedule))
            }
            result = try blocking { try await run.run(schedule) }
        } else {
            let run = ComparisonRun(
                scenario: scenario,
                factory: LibraryTargetFactory(),
                options: options
            )
            interruption = Interruption(cleanUp: series.folder.remove) { run.stop() }
            result = try blocking { try await run.run() }
        }
        series.reporter.finish()
        try destination.write(report.format.report(on: result))
        throw interruption.exitCode(or: result.exitStatus)
    }
}
