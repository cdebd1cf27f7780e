import ArgumentParser
import WorkloadEngine

struct RunSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a scenario and print a report.",
        discussion: "Runs each arm once, in the scenario's order. ^C ends the run early and "
            + "reports the results so far, marked as partial."
    )

    @Argument(
        help: "The name of a preset, or the path to a YAML file.",
        completion: .list(Presets.all.map(\.name))
    )
    var scenario: String

    @Option(help: "An arm to run; can be repeated. By default, the scenario's default arms.")
    var arm: [String] = []

    @OptionGroup var changes: ScenarioOptions

    @Option(
        help: ArgumentHelp(
            "A database to use instead of the scenario's data; without --in-place, runs use "
                + "copies of it."
        ),
        completion: .file()
    )
    var database: String?

    @Flag(help: "Run on the database itself, which keeps the run's changes.")
    var inPlace = false

    @Option(help: "The format of the report.")
    var format = ReportFormat.text

    @Option(
        help: "The file for the report; standard output by default.",
        completion: .file()
    )
    var output: String?

    @Option(help: "When to show progress on standard error.")
    var progress = ProgressMode.auto

    @Flag(help: "Keep the folder that contains the database, and print its path.")
    var keep = false

    func validate() throws {
        if inPlace, database == nil {
            throw ValidationError("--in-place requires --database")
        }
    }

    private func userDatabase(for arms: [Arm]) throws -> UserDatabase? {
        guard let url = try database.map({ try DatabaseFile.url($0, for: scenario) }) else {
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
        let scenario = try changes.load(self.scenario)
        var run = HeadlessRun(scenario: scenario, arms: try scenario.arms(named: arm))
        run.database = try userDatabase(for: run.arms)
        run.progress = progress
        run.keepsFolder = keep
        try run.run(format: format, to: ReportDestination(path: output))
    }
}
