import ArgumentParser
import CursesTerminal
import Dashboard
import Recording
import TerminalUI

struct DashboardSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dashboard",
        abstract: "Run a scenario and watch it on a live dashboard.",
        discussion: "After the run, the dashboard shows the final state until you quit; press 'a' "
            + "to run the next arm. --screenshot does not need a terminal."
    )

    @Argument(help: "The name of a preset, or the path to a YAML file.")
    var scenario = Poolgauge.demo

    @Option(help: "The first arm to run; by default, the scenario's first arm.")
    var arm: String?

    @OptionGroup var changes: ScenarioOptions

    @OptionGroup var data: DatabaseOptions

    @OptionGroup var display: DisplayArguments<RunDelay>

    @OptionGroup var export: ListenOptions

    @OptionGroup var recording: RecordingOptions

    @OptionGroup var recordedSQL: RecordedSQLOptions

    @Flag(help: "Quit when the run ends, instead of showing its final state.")
    var once = false

    @Option(name: .shortAndLong, help: "The file for the report on all arms that ran.")
    var output: String?

    @Option(help: "The format of the report.")
    var format = ReportFormat.text

    func validate() throws {
        if display.screenshot != nil, once || output != nil {
            throw ValidationError("--screenshot cannot be combined with --once or --output")
        }
        try DistinctFiles.check(
            outputs: display.outputs
                + [.init("--output", output), .init("--record", recording.record)],
            inputs: [.scenario(scenario), .init("--database", data.database)]
        )
    }

    func run() throws {
        let picture = try display.screenshot.map(PictureFile.init)
        var options = LiveOptions(display: try display.options())
        options.format = format
        options.endsWithRun = once
        try data.check(for: self.scenario)
        var scenario = try changes.load(self.scenario)
        // The 'a' key cycles through the default arms and the specified arm.
        let defaults = try scenario.arms(named: []).map(\.name)
        if let arm { options.arm = try scenario.arms(named: [arm]).first?.name }
        scenario.arms.removeAll { !defaults.contains($0.name) && $0.name != arm }
        options.report = try output.map { try ReportDestination(path: $0) }
        let folder = try RunFolder(isKept: false)
        defer { folder.remove() }
        let reporter = ProgressReporter(.auto)
        options.database = try data.copy(for: self.scenario, in: folder.url) {
            reporter.showStep($0)
        }
        reporter.finish()
        let metrics = RunMetrics()
        let server = try export.server { metrics.text() }
        defer { server?.stop() }
        if server != nil { options.onSample = { metrics.receive($0) } }
        let recording = try DisplayRecording(
            self.recording,
            RecordingInfo(.run, title: scenario.name, scenario: scenario.source),
            keepsLiterals: recordedSQL.literals
        )
        defer { recording.finish() }
        let session = LiveSession(scenario: scenario, options: options, recording: recording)
        if let picture {
            let surface = try session.picture(size: display.pictureSize)
            try picture.write(surface, title: "poolgauge: \(scenario.name)")
        } else {
            do { try session.run() } catch let error as TerminalError {
                throw CommandFailure(error.text(alternative: "poolgauge run \(self.scenario)"))
            }
        }
    }
}
