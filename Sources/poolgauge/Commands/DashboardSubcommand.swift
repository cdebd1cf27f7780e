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

    @Option(help: "The theme; see 'poolgauge themes list'.")
    var theme: String?

    @Option(help: "What pictures are made of; by default what the locale can show.")
    var glyphs: GlyphSet?

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

    func validate() throws {
        if size != nil, screenshot == nil {
            throw ValidationError("--size is the picture's: give --screenshot too")
        }
    }

    func run() throws {
        var options = LiveOptions()
        let picture = try screenshot.map(PictureFile.init)
        if let theme { options.theme = try Theme.named(theme) }
        options.glyphs = glyphs
        if let press {
            do { options.keys = try KeyScript.parse(press) } catch {
                throw CommandFailure("--press: \(error)")
            }
        }
        let scenario = try changes.load(self.scenario)
        if let arm { options.arm = try scenario.arms(named: [arm]).first?.name }
        options.takesPicture = picture != nil
        let start = after?.duration ?? .seconds(picture == nil ? 1 : 10)
        options.keysStart = start.nanoseconds
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
