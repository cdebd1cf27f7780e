import ArgumentParser
import PoolgaugeAgent
import Recording

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

struct AttachSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attach",
        abstract: "Report on programs that run an agent.",
        discussion: """
            In a terminal, opens a dashboard unless --once, --follow, --format, or --for is \
            specified; press ? to list its keys. The agent is specified by its name, the ID of \
            its process, or the path of its socket. Without an argument, lists the running agents \
            of this user and asks which one to open.

            Reports connections, waiters, the log, and snapshots. If the program ends, the \
            dashboard and --follow wait until it restarts, and mark the gap. If there is no \
            terminal and --follow is not specified, reports once.

            A program starts an agent with the library PoolgaugeAgent: \
            Agent.startIfRequested(pool) starts it if POOLGAUGE_AGENT=1 is set.
            """
    )

    @Argument(help: "The name of an agent, the ID of its process, or the path of its socket.")
    var agent: String?

    @Flag(help: "Report once; the default if there is no terminal.")
    var once = false

    @Flag(help: "Write one line at each interval.")
    var follow = false

    @Option(help: "The format of the report.")
    var format: PlainFormat?

    @Option(
        help: "The time between two requests; by default, 250ms, or 1s with --follow.",
        transform: TimeArgument.parse
    )
    var interval: TimeArgument?

    @Option(
        name: .customLong("for"),
        help: "How long to follow; by default, without limit.",
        transform: TimeArgument.parse
    )
    var duration: TimeArgument?

    @OptionGroup var display: DisplayArguments<WatchDelay>

    @OptionGroup var export: ListenOptions

    @OptionGroup var recording: RecordingOptions

    @OptionGroup var recordedSQL: RecordedSQLOptions

    /// Whether an option requests reports instead of the dashboard.
    private var isHeadless: Bool { once || follow || format != nil || duration != nil }

    func validate() throws {
        try DistinctFiles.check(
            outputs: display.outputs + [.init("--record", recording.record)]
        )
        if recording.record != nil, isHeadless, !follow {
            throw ValidationError("--record works only with --follow and the dashboard")
        }
        if export.listen != nil, isHeadless, !follow {
            throw ValidationError(
                "--listen works only with --follow and the dashboard; to serve only metrics, use "
                    + "`poolgauge export`"
            )
        }
        if once, follow { throw ValidationError("specify only one of --once and --follow") }
        if agent == nil, once || follow || display.screenshot != nil {
            throw ValidationError(
                "--once, --follow, and --screenshot require an agent; `poolgauge attach` lists "
                    + "the agents"
            )
        }
        if duration != nil, !follow { throw ValidationError("--for requires --follow") }
        if interval != nil, isHeadless, !follow {
            throw ValidationError("--interval works only with --follow and the dashboard")
        }
        if isHeadless, display.isGiven {
            throw ValidationError(
                "--once, --follow, --format, and --for do not use the dashboard and cannot be "
                    + "combined with its options"
            )
        }
    }

    func run() throws {
        let directory = AgentDirectory(folder: .standard)
        let opensDisplay = !isHeadless && (display.isGiven || Self.hasTerminal)
        guard
            let socket = try agent.map({ try directory.find(AgentAddress($0)) })
                ?? choice(directory, opensDisplay: opensDisplay)
        else { return }
        let answer = try AgentReader(path: socket.path).statusWithJSON()
        let followed = FollowedAgent(directory: directory, socket: socket)
        if opensDisplay { return try runDisplay(followed) }
        guard follow else {
            switch format ?? .text {
            case .text: try StandardOutput.write(AgentText(answer.status).text)
            case .json: try StandardOutput.write(AgentText.line(ofJSON: answer.json))
            }
            return
        }
        var run = AttachRun(followed)
        run.format = format ?? .text
        if let interval { run.interval = interval.duration }
        run.duration = duration?.duration
        let metrics = AgentMetricsSource(name: socket.name ?? socket.path)
        let server = try export.server { metrics.text() }
        defer { server?.stop() }
        if server != nil { run.onStatus = { metrics.receive($0) } }
        let recording = try self.recording.start(
            Self.info(about: followed),
            keepsLiterals: recordedSQL.literals
        )
        defer { recording?.finish() }
        run.recorder = recording?.recorder
        try run.run()
    }

    private static func info(about agent: FollowedAgent) -> RecordingInfo {
        RecordingInfo(.agent, title: agent.socket.name ?? agent.socket.path)
    }

    private static var hasTerminal: Bool {
        isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
    }

    /// Writes the list of agents, and asks which one to open if a dashboard follows.
    ///
    /// - Returns: The chosen agent, or `nil` if there is no agent to open.
    private func choice(_ directory: AgentDirectory, opensDisplay: Bool) throws -> FoundAgent? {
        let list = try directory.list()
        guard opensDisplay, !list.agents.isEmpty else {
            try StandardOutput.write(format == .json ? list.json() : list.text)
            return nil
        }
        return try AgentChoice(list: list).ask()
    }

    private func runDisplay(_ agent: FollowedAgent) throws {
        let picture = try display.screenshot.map(PictureFile.init)
        let options = try display.options()
        let metrics = AgentMetricsSource(name: agent.socket.name ?? agent.socket.path)
        let server = try export.server { metrics.text() }
        defer { server?.stop() }
        let recording = try DisplayRecording(
            self.recording,
            Self.info(about: agent),
            keepsLiterals: recordedSQL.literals
        )
        defer { recording.finish() }
        var run = AttachDisplayRun(agent: agent, options: options, recording: recording)
        if server != nil { run.onStatus = { metrics.receive($0) } }
        if let interval { run.interval = interval.duration }
        if let picture {
            try picture.write(try run.picture(size: display.pictureSize), title: "poolgauge attach")
        } else {
            try run.run()
        }
    }
}
