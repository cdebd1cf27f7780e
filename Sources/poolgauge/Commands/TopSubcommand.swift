import ArgumentParser
import SQLiteWatch
import WorkloadEngine

/// `poolgauge top`.
struct TopSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Watch databases that other programs use, from outside.",
        discussion: """
            Shows which process holds which lock, since when and for which share of time, what \
            pins the write-ahead log, commits and frames per second, and a verdict. It opens no \
            database through SQLite, sets no lock and writes no file. Shares are those of the \
            interval, with their standard error: locks are read at random moments.

            Without --follow and --watch-for, it watches for a while and reports once.

            Conditions of --watch-for: \(conditions). Exit status: 0 when it is met, 3 when \
            --timeout expires before.
            """
    )

    private static let conditions = """
        pin, writer and checkpoint (the longest, as in 'pin > 30s'), pin.frames, pin.bytes, \
        writer.share ('> 50%'), waiting (processes), log ('> 1GiB'), log.frames, commits \
        ('< 1/s'), processes
        """

    @Argument(help: "The database files.", completion: .file())
    var files: [String]

    @Flag(help: "Report once: the default, unless --follow or --watch-for is given.")
    var once = false

    @Flag(help: "Report at each interval: as lines of JSON, unless --format text is given.")
    var follow = false

    @Option(help: "How the report is written: text, or JSON.")
    var format: WatchFormat?

    @Option(
        name: .customLong("for"),
        help: "How long to watch. 2s by default when it reports once, otherwise without an end.",
        transform: TimeArgument.parse
    )
    var duration: TimeArgument?

    @Option(help: "The time between two reports; 1s by default.", transform: TimeArgument.parse)
    var interval: TimeArgument?

    @Option(
        help: "End when a report meets this condition, and print it: 'pin > 30s'.",
        transform: WatchConditionArgument.parse
    )
    var watchFor: WatchConditionArgument?

    @Option(help: "How long to wait for --watch-for.", transform: TimeArgument.parse)
    var timeout: TimeArgument?

    func validate() throws {
        guard !files.isEmpty else { throw ValidationError("name a database file") }
        if once, follow { throw ValidationError("give one of --once and --follow") }
        if once, watchFor != nil { throw ValidationError("give one of --once and --watch-for") }
        if timeout != nil, watchFor == nil {
            throw ValidationError("--timeout is the one of --watch-for: give that too, or --for")
        }
        if watchFor != nil, duration != nil {
            throw ValidationError("--watch-for has --timeout instead of --for")
        }
        if interval != nil, !follow, watchFor == nil {
            throw ValidationError("--interval is the one of --follow and --watch-for")
        }
    }

    func run() throws {
        var run = try WatchRun(files: files)
        run.format = format ?? (follow ? .json : .text)
        run.follows = follow
        run.interval = interval?.duration ?? .seconds(1)
        run.condition = watchFor?.condition
        run.duration = watchFor == nil ? duration?.duration : timeout?.duration
        try run.run()
    }

    /// How a report is written.
    enum WatchFormat: String, CaseIterable, ExpressibleByArgument {
        case text
        case json
    }
}
