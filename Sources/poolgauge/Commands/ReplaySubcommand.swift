import ArgumentParser
import Dashboard
import Recording
import TerminalUI

struct ReplaySubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Show a recording in the dashboard, with play, pause, and seek.",
        discussion: """
            Shows the dashboard of the recorded run, databases, or agent at a position in the \
            recording. Space plays or pauses; < and > change the speed; [ and ] step by a sample; \
            S goes to a time; and ( and ) go to the start and the end. u, w, l, and b go to the next \
            saturation, wait, large log, and SQLITE_BUSY; the same keys in uppercase go to the \
            previous one. Press ? to list all keys. Keys that control a live run are not \
            available. With --screenshot, the recording is paused.

            --from and the S key accept \(RecordingMoment.forms).
            """
    )

    @Argument(help: "The recording.", completion: .file())
    var file: String

    @Option(
        help: "The initial position; by default, the start of the recording.",
        transform: RecordingMoment.parse
    )
    var from: RecordingMoment?

    @Option(help: "The initial speed, from 1 to 600.")
    var speed = 1.0

    @Option(
        help: "The minimum wait that the w key searches for; 100ms by default.",
        transform: TimeArgument.parse
    )
    var wait: TimeArgument?

    @Option(
        help: "The minimum size of the log that the l key searches for; 16MiB by default.",
        transform: ByteCountArgument.parse
    )
    var wal: ByteCountArgument?

    @Option(
        help: "The minimum saturation that the u key searches for; 50% by default.",
        transform: ShareArgument.parse
    )
    var saturation: ShareArgument?

    @OptionGroup var display: DisplayArguments<ReplayDelay>

    func validate() throws {
        try DistinctFiles.check(
            outputs: display.outputs,
            inputs: [.init("the recording", file)]
        )
        guard (1...600).contains(speed) else {
            throw ValidationError("--speed must be from 1 to 600, not \(speed)")
        }
    }

    func run() throws {
        let picture = try display.screenshot.map(PictureFile.init)
        var run = ReplayRun(
            reader: try RecordingReader(path: file),
            options: try display.options()
        )
        run.position = from
        run.speed = speed
        run.isPlaying = picture == nil
        if let wait { run.searches.wait = wait.duration.wholeNanoseconds }
        if let wal { run.searches.log = wal.bytes }
        if let saturation { run.searches.saturation = saturation.share }
        if let picture {
            let surface = try run.picture(size: display.pictureSize)
            try picture.write(surface, title: "poolgauge replay")
        } else {
            try run.run()
        }
    }
}
