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
            """
    )

    @Argument(
        help: "Database files or folders, or one agent; by default, all open databases.",
        completion: .file()
    )
    var targets: [String] = []

    @Option(name: .shortAndLong, help: "The file of the recording.", completion: .file())
    var output: String

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
        try DistinctFiles.check(
            outputs: [.init("--output", output)],
            inputs: targets.map { .init("a recorded database", $0) }
        )
    }

    func run() throws {
        if !sql.command.isEmpty { return try recordCommand() }
        if targets.count == 1, isAgent(targets[0]) {
            guard sql.options == nil else {
                throw CommandFailure("--sql applies only to database files")
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

    private func recordCommand() throws {
        let title = sql.command.joined(separator: " ")
        let recording = try session(RecordingInfo(.watch, title: title))
        defer { recording.finish(reason: "the recording ended") }
        var run = CommandRun(command: sql.command, paths: targets, options: sql.commandOptions)
        run.interval = interval?.duration ?? .seconds(1)
        run.isSilent = true
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
        let stopSignal = DispatchSemaphore(value: 0)
        let interruption = Interruption { stopSignal.signal() }
        let recording = try session(RecordingInfo(.watch, title: title))
        defer { recording.finish(reason: "the recording ended") }
        let feed = try WatchFeed(
            source: source,
            interval: interval?.duration ?? .seconds(1),
            sql: sql.options,
            recorder: { recording.recorder }
        )
        let start = DispatchTime.now().uptimeNanoseconds
        let end = duration.map { start + $0.duration.wholeNanoseconds }
        while recording.recorder.failure == nil {
            let now = DispatchTime.now().uptimeNanoseconds
            let remaining = end.map { $0 > now ? $0 - now : 0 } ?? 1_000_000_000
            let wait = Int(min(remaining, 1_000_000_000))
            if stopSignal.wait(timeout: .now() + .nanoseconds(wait)) == .success { break }
            // Discard the reports, which the recorder has already stored.
            _ = feed.take()
            if let end, DispatchTime.now().uptimeNanoseconds >= end { break }
        }
        feed.end()
        if recording.recorder.failure != nil { throw ExitCode(ExitStatus.failed.rawValue) }
        if let signal = interruption.signal { throw ExitCode(128 + signal) }
    }
}
