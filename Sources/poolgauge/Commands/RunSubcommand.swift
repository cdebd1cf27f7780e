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

    @Argument(help: "A preset's name, or the path of a YAML file.")
    var scenario: String

    @Option(help: "An arm to run; may be given several times. All arms by default.")
    var arm: [String] = []

    @OptionGroup var changes: ScenarioOptions

    @Option(help: "How the report is written.")
    var format = ReportFormat.text

    @Option(help: "The file that receives the report; standard output by default.")
    var output: String?

    @Option(help: "When progress is shown on standard error.")
    var progress = ProgressMode.auto

    @Flag(help: "Keep the folder with the database, and say where it is.")
    var keep = false

    func run() throws {
        let scenario = try changes.load(self.scenario)
        var run = HeadlessRun(scenario: scenario, arms: try scenario.arms(named: arm))
        run.progress = progress
        run.keepsFolder = keep
        try run.run(format: format, to: ReportDestination(path: output))
    }
}
