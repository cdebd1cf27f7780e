import ArgumentParser
import Dashboard
import TerminalUI
import WorkloadEngine

/// `poolgauge dashboard`.
struct DashboardSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dashboard",
        abstract: "Run a scenario, and watch it.",
        discussion: "The run's end stays on the screen; 'a' runs the next arm. With --screenshot "
            + "no terminal is needed."
    )

    @Argument(help: "A preset's name, or the path of a YAML file.")
    var scenario = Poolgauge.demo

    @Option(help: "The arm that runs first; the scenario's first by default.")
    var arm: String?

    @OptionGroup var changes: ScenarioOptions

    @OptionGroup var data: DatabaseOptions

    @OptionGroup var display: DisplayArguments

    @Flag(help: "End when the arm has run to its end, instead of keeping its last state shown.")
    var once = false

    @Option(help: "The file that receives the report of all arms that ran.")
    var output: String?

    @Option(help: "How that report is written.")
    var format = ReportFormat.text

    func validate() throws {
        if display.screenshot != nil, once || output != nil {
            throw ValidationError("--screenshot takes a picture alone: no --once, --output")
        }
    }

    func run() throws {
        let picture = try display.screenshot.map(PictureFile.init)
        var options = LiveOptions(display: try display.options())
        options.format = format
        options.endsWithRun = once
        try data.check(for: self.scenario)
        var scenario = try changes.load(self.scenario)
        // The arms that 'a' goes through: those that run by default, and the one that is named.
        let defaults = try scenario.arms(named: []).map(\.name)
        if let arm { options.arm = try scenario.arms(named: [arm]).first?.name }
        scenario.arms.removeAll { !defaults.contains($0.name) && $0.name != arm }
        options.report = try output.map { try ReportDestination(path: $0) }
        let folder = try RunFolder(isKept: false)
        defer { folder.remove() }
        options.database = try data.copy(for: self.scenario, in: folder.url)
        let session = LiveSession(scenario: scenario, options: options)
        if let picture {
            let surface = try session.picture(size: display.pictureSize)
            try picture.write(surface, title: "poolgauge: \(scenario.name)")
        } else {
            try session.run()
        }
    }
}
