import ArgumentParser
import Recording
import Scenarios
import WorkloadEngine

struct RunSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a scenario and print a report.",
        discussion: "Runs each arm once, in the scenario's order. ^C ends the run early and "
            + "reports the results so far, marked as partial."
    )

    @OptionGroup var source: ScenarioArgument

    @Option(
        name: [.customLong("arm"), .customLong("arms")],
        help: "An arm to run; can be repeated. By default, all arms that do not use GRDB.",
        transform: NamesArgument.parse
    )
    var arms: [NamesArgument] = []

    @OptionGroup var changes: ScenarioOptions

    @Option(
        help: ArgumentHelp(
            "A database to use instead of the scenario's data; without --in-place, runs use "
                + "copies of it."
        ),
        completion: .file()
    )
    var database: String?

    @Flag(help: "Run on the database itself instead of a copy. The run's changes remain in it.")
    var inPlace = false

    @OptionGroup var report: ReportOptions<ReportFormat>

    @OptionGroup var export: ListenOptions

    @OptionGroup var recording: RecordingOptions

    @OptionGroup var recordedSQL: RecordedSQLOptions

    @Flag(help: "Keep the folder that contains the database, and print its path.")
    var keep = false

    func validate() throws {
        if inPlace, database == nil {
            throw ValidationError("--in-place requires --database")
        }
        try DistinctFiles.check(
            outputs: [.init("--output", report.output), .init("--record", recording.record)],
            inputs: [.scenario(source.scenario), .init("--database", database)]
        )
    }

    private func userDatabase(for arms: [Arm]) throws -> UserDatabase? {
        guard let url = try database.map({ try DatabaseFile.url($0, for: source.scenario) }) else {
            return nil
        }
        guard inPlace else { return .copy(of: url) }
        guard arms.count == 1 else {
            throw CommandFailure(
                "--in-place requires a single --arm, because each arm would change the data of the "
                    + "next arm; choose one of \(arms.map(\.name).joined(separator: ", "))"
            )
        }
        return .inPlace(url)
    }

    func run() throws {
        let scenario = try changes.load(source.scenario)
        var run = HeadlessRun(
            scenario: scenario,
            arms: try scenario.arms(named: arms.flatMap(\.names))
        )
        run.database = try userDatabase(for: run.arms)
        run.progress = report.progress
        run.keepsFolder = keep
        let metrics = RunMetrics()
        let server = try export.server { metrics.text() }
        defer { server?.stop() }
        if server != nil { run.onSample = { metrics.receive($0) } }
        let destination = try report.destination()
        let recording = try self.recording.start(
            RecordingInfo(.run, title: scenario.name, scenario: scenario.source),
            keepsLiterals: recordedSQL.literals
        )
        defer { recording?.finish() }
        run.recorder = recording?.recorder
        try run.run(format: report.format, to: destination)
    }
}
