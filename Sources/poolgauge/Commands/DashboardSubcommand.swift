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

    @Option(help: "The theme's name or file; see 'poolgauge themes list'.")
    var theme: String?

    @Option(help: "What pictures are made of; by default what the locale can show.")
    var glyphs: GlyphSet?

    @Option(help: "How often the screen is drawn, in frames a second; 10 by default.")
    var refresh: Double?

    @Option(help: "Write a picture instead of using a terminal: FILE.txt, FILE.ans or FILE.svg.")
    var screenshot: String?

    @Option(help: "The picture's size in cells.", transform: SizeArgument.parse)
    var size: SizeArgument?

    @Option(
        help: "How long the load runs before the picture, or before --press (10s, 1s).",
        transform: TimeArgument.parse
    )
    var after: TimeArgument?

    @Option(help: "Keys to press without a person, such as 'nt<Esc>?'.")
    var press: String?

    @Flag(help: "End when the arm has run to its end, instead of keeping its last state shown.")
    var once = false

    @Option(help: "The file that receives the report of all arms that ran.")
    var output: String?

    @Option(help: "How that report is written.")
    var format = ReportFormat.text

    @Option(help: "The file that receives, as JSON, what the display used: CPU, frames, bytes.")
    var costs: String?

    func validate() throws {
        if let refresh, !DashboardSettings.refreshRates.contains(refresh) {
            let range = DashboardSettings.refreshRates
            throw ValidationError(
                "--refresh must be \(range.lowerBound) to \(Int(range.upperBound)), not \(refresh)"
            )
        }
        if screenshot != nil, once || output != nil || costs != nil {
            throw ValidationError(
                "--screenshot takes a picture alone: no --once, --output, --costs"
            )
        }
        if size != nil, screenshot == nil {
            throw ValidationError("--size is the picture's: give --screenshot too")
        }
    }

    func run() throws {
        var options = try LiveOptions(theme: theme)
        let picture = try screenshot.map(PictureFile.init)
        if let glyphs { options.glyphs = glyphs }
        if let refresh { options.refreshRate = refresh }
        options.format = format
        options.endsWithRun = once
        if let press {
            do { options.keys = try KeyScript.parse(press) } catch {
                throw CommandFailure("--press: \(error)")
            }
        }
        var scenario = try changes.load(self.scenario)
        // The arms that 'a' goes through: those that run by default, and the one that is named.
        let defaults = try scenario.arms(named: []).map(\.name)
        if let arm { options.arm = try scenario.arms(named: [arm]).first?.name }
        scenario.arms.removeAll { !defaults.contains($0.name) && $0.name != arm }
        options.takesPicture = picture != nil
        let start = after?.duration ?? .seconds(picture == nil ? 1 : 10)
        options.keysStart = start.nanoseconds
        options.report = try output.map { try ReportDestination(path: $0) }
        options.costs = try costs.map { try ReportDestination(path: $0) }
        let session = LiveSession(scenario: scenario, options: options)
        if let picture {
            let size = size?.size ?? Size(width: 120, height: 40)
            try picture.write(session.picture(size: size), title: "poolgauge: \(scenario.name)")
        } else {
            try session.run()
        }
    }
}

extension Duration {
    /// The length in nanoseconds; 0 for a negative one.
    fileprivate var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds) / 1_000_000_000
    }
}
