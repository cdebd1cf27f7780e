import ArgumentParser
import Findings
import Recording
import SQLiteWatch

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

struct TopSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Watch databases that other programs use.",
        discussion: """
            In a terminal, opens a dashboard unless --once, --follow, --watch-for, --format, or \
            --for is specified; press ? to list its keys. Without a file, lists the SQLite \
            databases that processes on this machine have open, busiest first; press Enter to open \
            one. If you specify a folder, watches the databases in it. Instead of a file, specify \
            pid:PID for the databases that a process has open, or a container's name in Docker or \
            Podman, 12 or more digits of its ID, or a path in a container.

            Shows which process holds each lock, how long it has held the lock, and for what share \
            of the time; what keeps the write-ahead log from being reset (the pin); commits and \
            frames per second; and a verdict. The command does not open databases through SQLite, acquire locks, or write \
            files. It samples locks at random times, so each share is an estimate for the \
            interval, with a standard error.

            With -- and a command, starts the command, and reports on all databases that it and its \
            children use, with their statements, when it ends. This requires no privileges (Linux). \
            The exit status is that of the command.

            If there is no terminal and neither --follow nor --watch-for is specified, watches for \
            two seconds and reports once.

            Metrics for --watch-for, each with an example:
            \(HelpList.text(metrics))

            With --watch-for, the exit status is 0 if a report meets the condition, and 3 if \
            --timeout expires first.
            """
    )

    private static let metrics: [(term: String, meaning: String)] =
        WatchCondition.Metric.allCases.map { metric in
            let (meaning, example) = help(for: metric)
            return (metric.rawValue, "\(meaning) ('\(metric.rawValue) \(example)')")
        }

    /// Returns a description of a metric, and the rest of an example of a condition.
    private static func help(
        for metric: WatchCondition.Metric
    ) -> (meaning: String, example: String) {
        switch metric {
        case .pin: ("the longest time that a reader has pinned the log", "> 30s")
        case .pinFrames: ("the frames that readers pin", "> 1000")
        case .pinBytes: ("the size of the pinned frames", "> 64MiB")
        case .writer: ("the longest time that a process has held a write lock", "> 5s")
        case .hold:
            ("the longest time that a process held a write lock, also if it released it", "> 1s")
        case .busy: ("with --sql, the SQLITE_BUSY results", "> 0")
        case .writerShare:
            ("the largest share of time that one process held a write lock", "> 50%")
        case .checkpoint: ("the longest time that a checkpoint has been running", "> 2s")
        case .waiting: ("the processes that are probably waiting", ">= 3")
        case .log: ("the size of the -wal file", "> 1GiB")
        case .logFrames: ("the frames in use in the log", "> 10000")
        case .commits: ("the commits per second", "< 1/s")
        case .processes: ("the processes that use the database", "> 10")
        }
    }

    @Argument(
        help: """
            Database files or folders, pid:PID, or containers; by default, all open databases on \
            this machine.
            """,
        completion: .file()
    )
    var files: [String] = []

    @Flag(
        help: ArgumentHelp(
            "Report once; the default if there is no terminal and neither --follow nor "
                + "--watch-for is specified."
        )
    )
    var once = false

    @Flag(help: "Report at each interval, as JSON lines unless --format text is specified.")
    var follow = false

    @Option(help: "The format of the report.")
    var format: PlainFormat?

    @Option(
        name: .customLong("for"),
        help: "How long to watch; by default, 2s for a single report; otherwise, unlimited.",
        transform: TimeArgument.parse
    )
    var duration: TimeArgument?

    @Option(help: "The time between two reports; 1s by default.", transform: TimeArgument.parse)
    var interval: TimeArgument?

    @Option(
        help: "Wait for a report that meets this condition, such as 'pin > 30s', and print it.",
        transform: WatchConditionArgument.parse
    )
    var watchFor: WatchConditionArgument?

    @Option(help: "The time limit for --watch-for.", transform: TimeArgument.parse)
    var timeout: TimeArgument?

    @OptionGroup var sql: SQLArguments

    @OptionGroup var display: DisplayArguments<WatchDelay>

    @OptionGroup var export: ListenOptions

    @OptionGroup var recording: RecordingOptions

    /// Whether an option requests reports instead of the dashboard.
    private var isHeadless: Bool {
        once || follow || format != nil || duration != nil || watchFor != nil
    }

    func validate() throws {
        if !sql.command.isEmpty, display.isGiven || watchFor != nil || duration != nil || once {
            throw ValidationError(
                "with a command, `poolgauge top` reports at its end, or at each interval with "
                    + "--follow; for the dashboard, run `poolgauge top` in another terminal"
            )
        }
        try DistinctFiles.check(
            outputs: display.outputs + [.init("--record", recording.record)],
            inputs: files.map { .init("a watched database", $0) }
        )
        if once, follow { throw ValidationError("specify only one of --once and --follow") }
        if once, watchFor != nil {
            throw ValidationError("specify only one of --once and --watch-for")
        }
        if timeout != nil, watchFor == nil {
            throw ValidationError("--timeout requires --watch-for; for other reports, use --for")
        }
        if watchFor != nil, duration != nil {
            throw ValidationError("--watch-for cannot be combined with --for; use --timeout")
        }
        if interval != nil, once || (isHeadless && !follow && watchFor == nil) {
            throw ValidationError(
                "--interval works only with --follow, --watch-for, and the dashboard"
            )
        }
        if export.listen != nil, isHeadless && !follow && watchFor == nil {
            throw ValidationError(
                "--listen works only with --follow, --watch-for, and the dashboard; to serve only "
                    + "metrics, use `poolgauge export`"
            )
        }
        if isHeadless, display.isGiven {
            throw ValidationError(
                "--once, --follow, --watch-for, --format, and --for do not use the dashboard and "
                    + "cannot be combined with its options"
            )
        }
    }

    func run() throws {
        let source = WatchSource(arguments: files)
        let metrics = WatchMetrics()
        let server = try export.server { metrics.text() }
        defer { server?.stop() }
        var onReports: (@Sendable ([WatchReport]) -> Void)?
        if server != nil { onReports = { metrics.receive($0) } }
        let info = RecordingInfo(
            .watch,
            title: files.isEmpty ? "all open databases" : files.joined(separator: ", ")
        )
        if !sql.command.isEmpty {
            let recording = try self.recording.start(info, keepsLiterals: sql.literals)
            defer { recording?.finish() }
            var run = CommandRun(
                command: sql.command,
                paths: files,
                options: sql.commandOptions
            )
            run.format = format ?? (follow ? .json : .text)
            if follow || recording != nil || onReports != nil {
                run.interval = interval?.duration ?? .seconds(1)
            }
            run.onReports = onReports
            run.recorder = recording?.recorder
            throw ExitCode(try run.run())
        }
        if display.screenshot != nil || !isHeadless && (display.isGiven || Self.hasTerminal) {
            let recording = try DisplayRecording(recording, info, keepsLiterals: sql.literals)
            defer { recording.finish() }
            return try runDisplay(source, onReports, recording: recording)
        }
        let recording = try self.recording.start(info, keepsLiterals: sql.literals)
        defer { recording?.finish() }
        guard source != .machine || sql.options == nil else {
            throw CommandFailure(
                "a report with --sql requires a database file, as in "
                    + "`poolgauge top --sql --for 10s app.sqlite`"
            )
        }
        let search = DatabaseSearch(helper: ClientProcess.command(WatchHelperSubcommand.name))
        let found = try source.find(search)
        guard !found.paths.isEmpty else {
            guard source == .machine, !follow, watchFor == nil else {
                throw CommandFailure(source.notFoundMessage)
            }
            let list = WatchedDatabaseList(reports: [], notes: found.notes)
            return try WatchRun.write(list, format ?? .text)
        }
        var run = try WatchRun(files: found.paths, sql: sql.availableOptions)
        run.notes = found.notes
        run.onReports = onReports
        run.recorder = recording?.recorder
        run.isList = source == .machine || source.isSearch && found.paths.count > 1
        run.format = format ?? (follow ? .json : .text)
        run.follows = follow
        run.interval = interval?.duration ?? .seconds(1)
        run.condition = watchFor
        run.duration = watchFor == nil ? duration?.duration : timeout?.duration
        try run.run()
    }

    private static var hasTerminal: Bool {
        isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
    }

    private func runDisplay(
        _ source: WatchSource,
        _ onReports: (@Sendable ([WatchReport]) -> Void)?,
        recording: DisplayRecording
    ) throws {
        let picture = try display.screenshot.map(PictureFile.init)
        let options = try display.options()
        var run = WatchDisplayRun(source: source, options: options, recording: recording)
        run.sql = sql.availableOptions
        run.onReports = onReports
        if let interval { run.interval = interval.duration }
        if let picture {
            let surface = try run.picture(size: display.pictureSize)
            try picture.write(surface, title: "poolgauge top")
        } else {
            try run.run()
        }
    }
}
