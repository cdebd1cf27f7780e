import ArgumentParser
import Comparison
import GRDBTarget
import Reports

struct CapacitySubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capacity",
        abstract: "Find the highest rate that each arm sustains, and compare arms at equal load.",
        discussion: """
            Increases the arrival rates of the open-loop clients, in the scenario's proportions, \
            until a threshold is missed. Finds the limit by bisection, and confirms it: a longer \
            run at the limit must pass, and a run just above it must fail. If the scenario has \
            only closed-loop clients, converts them to open-loop clients in the same proportions. \
            Then runs every arm at 50, 70, and 90% of the lowest limit.

            With --rate, also finds the smallest number of readers that sustains this rate.
            """
    )

    @OptionGroup var source: ScenarioArgument

    @Option(
        name: .arms,
        help: ArgumentHelp(
            "The arms, separated by commas; by default, queue, queue-wal, and pool, or the "
                + "scenario's default arms."
        ),
        transform: NamesArgument.parse
    )
    var arms: NamesArgument?

    @Option(
        help: ArgumentHelp(
            "Test each pool with several numbers of readers, such as readers=1,2,4,8.",
            valueName: "readers=values"
        ),
        transform: SweepArgument.parseReaders
    )
    var sweep: SweepArgument?

    @Option(
        help: ArgumentHelp(
            "Find the smallest number of readers that sustains this arrival rate, such as 200/s.",
            valueName: "rate"
        ),
        transform: RateArgument.parse
    )
    var rate: RateArgument?

    @Option(
        help: "The limit for the p99 response time of clients without a threshold.",
        transform: TimeArgument.parse
    )
    var p99: TimeArgument?

    @Option(
        name: .customLong("threshold"),
        help: ArgumentHelp(
            "An additional threshold, such as 'ui.response: p(95) < 10ms'; can be repeated.",
            valueName: "metric: limit"
        )
    )
    var thresholds: [String] = []

    @Option(
        help: "The length of a short run; confirmation runs are three times as long.",
        transform: TimeArgument.parse
    )
    var duration: TimeArgument?

    @Option(help: "The precision of the limit, in percent.")
    var precision = 5.0

    @Option(
        help: "Stop after this time and report the results so far.",
        transform: TimeArgument.parse
    )
    var within: TimeArgument?

    @OptionGroup var changes: VariantOptions

    @OptionGroup var data: DatabaseOptions

    @OptionGroup var report: ReportOptions<SearchFormat>

    func validate() throws {
        guard (0.5...50).contains(precision) else {
            throw ValidationError("--precision must be from 0.5 to 50 percent, not \(precision)")
        }
        try DistinctFiles.check(
            outputs: [.init("--output", report.output)],
            inputs: [.scenario(source.scenario), .init("--database", data.database)]
        )
    }

    func run() throws {
        try TemporaryFolder.check()
        try data.check(for: source.scenario)
        let scenario = try changes.load(source.scenario)
        let destination = try report.destination()
        let selectedArms = try scenario.arms(toCompare: arms?.names)
        var options = CapacityOptions(arms: selectedArms.map(\.name))
        if let duration { options.duration = duration.duration }
        if let within { options.timeLimit = within.duration }
        if let p99 { options.latencyLimit = p99.duration }
        options.precision = precision / 100
        options.readers = sweep?.sweep.counts ?? []
        options.rate = rate?.perSecond
        options.thresholds = try thresholds.map { try scenario.threshold($0) }
        let series = try RunSeries(progress: report.progress)
        defer { series.folder.remove() }
        try series.prepare(&options, data: data, for: source.scenario)
        let search = try CapacityRun(
            scenario: scenario,
            factory: LibraryTargetFactory(),
            options: options
        )
        let time = search.estimate()
        if report.progress != .never {
            series.reporter.announce(
                time.likely <= time.most
                    ? "this takes about \(time.likely.abbreviatedText), "
                        + "at most \(time.most.abbreviatedText) (--within)"
                    : "this needs about \(time.likely.abbreviatedText), but stops after "
                        + "\(time.most.abbreviatedText) (--within)"
            )
        }
        let interruption = Interruption(cleanUp: series.folder.remove) { search.stop() }
        let result = try blocking { try await search.run() }
        series.reporter.finish()
        switch report.format {
        case .text: try destination.write(CapacityReport.text(of: result))
        case .json: try destination.write(JSONReport.text(of: result))
        case .markdown: try destination.write(CapacityReport.markdown(of: result))
        }
        throw interruption.exitCode(or: result.exitStatus)
    }
}
