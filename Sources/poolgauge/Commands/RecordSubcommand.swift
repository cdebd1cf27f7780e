import ArgumentParser
import Dispatch
import Foundation
import PoolgaugeAgent
import Recording
import SQLTrace
import SQLiteWatch
import Text
import WorkloadEngine

struct RecordSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record databases, or a program that runs an agent, without a dashboard.",
        discussion: """
            Each target is a database file or folder, as for 'poolgauge top', or one agent (its \
            name, the ID of its process, or the path of its socket), as for 'poolgauge attach'. \
            Without a target, records all databases that processes on this machine have open.

            With -- and a command, starts the command, and records all databases that it uses, with \
            their statements, until it ends. The exit status is that of the command.

            The recording is a single SQLite file. 'poolgauge report' summarizes it, and \
            'poolgauge replay' shows it in the dashboard. If the file is already a recording, adds \
            a session to it. If the recorder is killed, at most the last second is lost. \
            When a program with an agent restarts, the time without data is recorded as a gap. At \
            the end, or after ^C, prints the duration, the number of samples, the size, and the \
            size per hour.

            With --on, keeps the last 30 seconds in memory, and writes them to a recording of its \
            own only around an event, such as --on 'busy, hold > 1s, pin > 30s, wal > 64MiB'. The \
            output is then a folder. A recording ends ten seconds after the event, or after five \
            minutes. 'busy' requires the SQL of the programs, as with --sql.
            """
    )

    @Argument(
        help: "Database files or folders, or one agent; by default, all open databases.",
        completion: .file()
    )
    var targets: [String] = []

    @Option(
        name: .shortAndLong,
        help: "The file of the recording, or the folder of the recordings with --on.",
        completion: .file()
    )
    var output: String

    @OptionGroup var events: EventOptions

    @Option(
        name: .customLong("for"),
        help: "How long to record; by default, until ^C.",
        transform: TimeArgument.parse
    )
    var duration: TimeArgument?

    @Option(help: "The time between two samples; 1s by default.", transform: TimeArgument.parse)
    var interval: TimeArgument?

    @OptionGroup var limits: RecordingLimitOptions

    @OptionGroup var sql: SQLArguments

    func validate() throws {
        if !sql.command.isEmpty, duration != nil {
            throw ValidationError("--for cannot be combined with a command, whose end counts")
        }
        if events.isGiven, events.conditions.isEmpty {
            throw ValidationError("--keep and --max-per-hour require --on")
        }
        try DistinctFiles.check(
            outputs: [.init("--output", output)],
            inputs: targets.map { .init("a recorded database", $0) }
        )
    }

    func run() throws {
        if !sql.command.isEmpty { return try recordCommand() }
        if targets.count == 1, isAgent(targets[0]) {
            guard sql.options == nil, events.conditions.isEmpty else {
                throw CommandFailure("--sql and --on apply only to database files")
            }
            return try recordAgent(targets[0])
        }
        if let agent = targets.first(where: isAgent) {
            throw CommandFailure(
                "there is no file '\(agent)'; several targets must be files or folders"
            )
        }
        try recordDatabases()
    }

    /// Returns whether a target is an agent: a socket, or a name that is not an existing file.
    private func isAgent(_ target: String) -> Bool {
        var status = stat()
        guard stat(target, &status) == 0 else { return !target.contains("/") }
        return status.st_mode & S_IFMT == S_IFSOCK
    }

    private func session(_ info: RecordingInfo) throws -> RecordingSession {
        try RecordingSession(
            path: output,
            limits: limits.limits,
            info: info,
            keepsLiterals: false,
            option: "--output"
        )
    }

    private func recordAgent(_ target: String) throws {
        let directory = AgentDirectory(folder: .standard)
        let socket: FoundAgent
        do {
            socket = try directory.find(AgentAddress(target))
        } catch let failure as CommandFailure where access(target, F_OK) != 0 {
            let message = "there is no file '\(target)', and " + failure.message
            throw CommandFailure(message, status: failure.status)
        }
        let recording = try session(RecordingInfo(.agent, title: target))
        defer { recording.finish(reason: "the recording ended") }
        var run = AttachRun(FollowedAgent(directory: directory, socket: socket))
        run.recorder = recording.recorder
        run.isSilent = true
        run.interval = interval?.duration ?? .seconds(1)
        run.duration = duration?.duration
        try run.run()
        if recording.recorder.failure != nil { throw ExitCode(ExitStatus.failed.rawValue) }
    }

    private func episodes(_ title: String) throws -> EpisodeRecorder {
        var options = EpisodeOptions(
            triggers: events.conditions.map {
                EpisodeOptions.Trigger(text: $0.text, condition: $0.condition)
            }
        )
        if let keep = events.keep { options.keepNanoseconds = keep.duration.wholeNanoseconds }
        options.maximumPerHour = events.maxPerHour
        options.maximumBytes = limits.limits.maximumBytes
        options.retainNanoseconds = limits.limits.retainNanoseconds
        @Sendable func tell(_ text: String) {
            StandardError.write("poolgauge: \(Escaping.terminal(text))\n")
        }
        do {
            return try EpisodeRecorder(
                folder: output,
                options: options,
                info: RecordingInfo(.watch, title: title),
                mask: MaskedSQL.text,
                onEnd: { tell(RecordingSession.text(of: $0)) },
                onFailure: { tell($0 + "; free space, or use another folder") }
            )
        } catch { throw CommandFailure("--output: \(error)") }
    }

    private func recordCommand() throws {
        let title = sql.command.joined(separator: " ")
        var run = CommandRun(command: sql.command, paths: targets, options: sql.commandOptions)
        run.interval = interval?.duration ?? .seconds(1)
        run.isSilent = true
        guard events.conditions.isEmpty else {
            let episodes = try episodes(title)
            defer { episodes.end() }
            run.onReports = episodes.record
            throw ExitCode(try run.run())
        }
        let recording = try session(RecordingInfo(.watch, title: title))
        defer { recording.finish(reason: "the recording ended") }
        run.recorder = recording.recorder
        let status = try run.run()
        throw ExitCode(status)
    }

    private func recordDatabases() throws {
        let source = WatchSource(arguments: targets)
        for target in targets where !FileManager.default.fileExists(atPath: target) {
            throw CommandFailure(
                "there is no file '\(Escaping.terminal(target))'; check the path"
            )
        }
        let title = targets.isEmpty ? "all open databases" : targets.joined(separator: ", ")
        guard events.conditions.isEmpty else { return try recordEvents(source, title: title) }
        let recording = try session(RecordingInfo(.watch, title: title))
        defer { recording.finish(reason: "the recording ended") }
        try follow(
            {
                try WatchFeed(
                    source: source,
                    interval: interval?.duration ?? .seconds(1),
                    sql: sql.options,
                    recorder: { recording.recorder }
                )
            },
            until: { recording.recorder.failure != nil }
        )
        if recording.recorder.failure != nil { throw ExitCode(ExitStatus.failed.rawValue) }
    }

    private func recordEvents(_ source: WatchSource, title: String) throws {
        let episodes = try episodes(title)
        let requiresSQL = events.conditions.contains { $0.condition.metric == .busy }
        defer { episodes.end() }
        func feed() throws -> WatchFeed {
            do {
                return try WatchFeed(
                    source: source,
                    interval: interval?.duration ?? .seconds(1),
                    sql: requiresSQL ? sql.availableOptions ?? SQLTraceOptions() : sql.options,
                    requiresSQL: requiresSQL,
                    onReports: { episodes.record($0) }
                )
            } catch let failure as CommandFailure where requiresSQL {
                throw CommandFailure(
                    "--on busy requires the SQL of the programs: \(failure.message) Without root, "
                        + "start the program with 'poolgauge record --on busy --output FOLDER -- "
                        + "COMMAND'",
                    status: failure.status
                )
            }
        }
        try follow(feed)
    }

    /// Follows a feed until the time is over, the command is interrupted, or `isOver` returns `true`.
    private func follow(
        _ feed: () throws -> WatchFeed,
        until isOver: () -> Bool = { false }
    ) throws {
        let stopSignal = DispatchSemaphore(value: 0)
        let interruption = Interruption { stopSignal.signal() }
        let feed = try feed()
        let start = DispatchTime.now().uptimeNanoseconds
        let end = duration.map { start + $0.duration.wholeNanoseconds }
        while !isOver() {
            let now = DispatchTime.now().uptimeNanoseconds
            let remaining = end.map { $0 > now ? $0 - now : 0 } ?? 1_000_000_000
            let wait = Int(min(remaining, 1_000_000_000))
            if stopSignal.wait(timeout: .now() + .nanoseconds(wait)) == .success { break }
            // Discard the reports, which the recorder has already stored.
            _ = feed.take()
            if let end, DispatchTime.now().uptimeNanoseconds >= end { break }
        }
        feed.end()
        if let signal = interruption.signal { throw ExitCode(128 + signal) }
    }
}

/// The options for recordings that are written only around events.
struct EventOptions: ParsableArguments {
    @Option(
        name: .customLong("on"),
        help: ArgumentHelp(
            "Record only around events: a list of conditions, such as 'busy, hold > 1s'.",
            valueName: "conditions"
        ),
        transform: EventList.init
    )
    var list: EventList?

    @Option(
        help: "The time before an event that its recording covers; 30s by default.",
        transform: TimeArgument.parse
    )
    var keep: TimeArgument?

    @Option(help: "Delete the oldest of more recordings than this number within an hour.")
    var maxPerHour: Int?

    var conditions: [WatchConditionArgument] { list?.conditions ?? [] }

    var isGiven: Bool { keep != nil || maxPerHour != nil }

    func validate() throws {
        if let maxPerHour, maxPerHour < 1 {
            throw ValidationError("--max-per-hour must be at least 1")
        }
    }
}

/// A list of conditions, such as `busy, hold > 1s`.
struct EventList {
    var conditions: [WatchConditionArgument]

    init(_ text: String) throws { conditions = try WatchConditionArgument.list(text) }
}
