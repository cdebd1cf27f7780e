import ArgumentParser
import WorkloadEngine

/// `poolgauge run`.
struct RunSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a scenario without a screen, and report.",
        discussion: "Each arm runs once, in the scenario's order. ^C ends it: what was measured "
            + "until then is reported, and marked partial."
    )

    @Argument(
        help: "A preset's name, or the path of a YAML file.",
        completion: .list(Presets.all.map(\.name))
    )
    var scenario: String

    @Option(help: "An arm to run; may be given several times. All arms by default.")
    var arm: [String] = []

    @OptionGroup var changes: ScenarioOptions

    @Option(
        help: ArgumentHelp(
            "A database of yours to run on, instead of the scenario's data: a copy, unless "
                + "--in-place."
        ),
        completion: .file()
    )
    var database: String?

    @Flag(help: "Run on the database itself: what the run writes stays in it.")
    var inPlace = false

    @Option(help: "How the report is written.")
    var format = ReportFormat.text

    @Option(
        help: "The file that receives the report; standard output by default.",
        completion: .file()
    )
    var output: String?

    @Option(help: "When progress is shown on standard error.")
    var progress = ProgressMode.auto

    @Flag(help: "Keep the folder with the database, and say where it is.")
    var keep = false

    func validate() throws {
        if inPlace, database == nil {
            throw ValidationError("--in-place is about a database of yours: give --database too")
        }
    }

    /// The user's database, if there is one.
    private func userDatabase(for arms: [Arm]) throws -> UserDatabase? {
        guard let url = try database.map({ try DatabaseFile.url($0, for: scenario) }) else {
            return nil
        }
        guard inPlace else { return .copy(of: url) }
        guard arms.count == 1 else {
            throw CommandFailure(
                "--in-place needs one --arm: each arm would change what the next one finds; there "
                    + "are \(arms.map(\.name).joined(separator: ", "))"
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
