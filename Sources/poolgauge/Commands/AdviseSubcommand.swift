import ArgumentParser
import Comparison
import GRDBTarget
import Reports

struct AdviseSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advise",
        abstract: "Try changes to an arm, and recommend the changes that measurably help.",
        discussion: """
            The candidates are other numbers of readers, a pool, a write-ahead log, caches, busy \
            timeouts, other kinds of BEGIN, larger transactions, checkpoint settings, ANALYZE, and \
            indexes for foreign keys and for statements that scan a table or sort rows. Short runs \
            screen all candidates. New pairs of runs then confirm the best, with the same rules as \
            'compare'. Each run is long enough for the rarest client that holds a lock. Candidates \
            that weaken durability are listed separately. The exit status is 6 if time prevented \
            the confirmation of a candidate.
            """
    )

    @OptionGroup var source: ScenarioArgument

    @Option(help: "The arm to change; by default, 'present' if it exists, or the first arm.")
    var arm: String?

    @Option(
        help: "Stop after this time and report the results so far; 5m by default.",
        transform: TimeArgument.parse
    )
    var within: TimeArgument?

    @OptionGroup var changes: VariantOptions

    @OptionGroup var data: DatabaseOptions

    @OptionGroup var report: ReportOptions<PlainFormat>

    func validate() throws {
        try DistinctFiles.check(
            outputs: [.init("--output", report.output)],
            inputs: [.scenario(source.scenario), .init("--database", data.database)]
        )
    }

    func run() throws {
        try data.check(for: source.scenario)
        let scenario = try changes.load(source.scenario)
        if let arm { _ = try scenario.arms(named: [arm]) }
        let destination = try report.destination()
        let series = try RunSeries(progress: report.progress)
        defer { series.folder.remove() }
        var options = AdviceOptions()
        options.arm = arm
        if let within { options.timeLimit = within.duration }
        try series.prepare(&options, data: data, for: source.scenario)
        options.indexes = { target, plans in
            try IndexAdvisor.advice(on: plans, of: target)
        }
        let advice = try AdviceRun(
            scenario: scenario,
            factory: LibraryTargetFactory(),
            options: options
        )
        let interruption = Interruption(cleanUp: series.folder.remove) { advice.stop() }
        let result = try blocking { try await advice.run() }
        series.reporter.finish()
        switch report.format {
        case .text: try destination.write(AdviceReport.text(of: result))
        case .json: try destination.write(JSONReport.text(of: result))
        }
        throw interruption.exitCode(or: result.exitStatus)
    }
}
