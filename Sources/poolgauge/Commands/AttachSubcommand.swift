import ArgumentParser
import PoolgaugeAgent
import Recording

struct AttachSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attach",
        abstract: "Report on programs that embed the engine and run an agent.",
        discussion: """
            Without an argument, lists the running agents of this user. With an agent's name, the \
            ID of its process, or the path of its socket, reports its connections, waiters, log \
            and snapshots once. --follow reports at each interval. When the program ends, it waits \
            until the program is running again, and reports the gap.

            A program starts an agent with the library PoolgaugeAgent: \
            Agent.startIfRequested(pool) starts it if POOLGAUGE_AGENT=1 is set.
            """
    )

    @Argument(help: "The name of an agent, the ID of its process, or the path of its socket.")
    var agent: String?

    @Flag(help: "Report once; the default.")
    var once = false

    @Flag(help: "Report at each interval, one line each.")
    var follow = false

    @Option(help: "The format of the report.")
    var format = PlainFormat.text

    @Option(
        help: "The time between two reports with --follow; 1s by default.",
        transform: TimeArgument.parse
    )
    var interval: TimeArgument?

    @Option(
        name: .customLong("for"),
        help: "How long to follow; by default, without limit.",
        transform: TimeArgument.parse
    )
    var duration: TimeArgument?

    @OptionGroup var recording: RecordingOptions

    @OptionGroup var recordedSQL: RecordedSQLOptions

    func validate() throws {
        if !follow, recording.record != nil {
            throw ValidationError("--record requires --follow")
        }
        if once, follow { throw ValidationError("specify only one of --once and --follow") }
        if agent == nil, once || follow {
            throw ValidationError(
                "--once and --follow require an agent; `poolgauge attach` lists the agents"
            )
        }
        if !follow, interval != nil || duration != nil {
            throw ValidationError("--interval and --for require --follow")
        }
    }

    func run() throws {
        let directory = AgentDirectory(folder: .standard)
        guard let agent else {
            let list = try directory.list()
            return try StandardOutput.write(format == .json ? list.json() : list.text)
        }
        let socket = try directory.find(AgentAddress(agent))
        guard follow else {
            let answer = try AgentReader(path: socket.path).statusWithJSON()
            switch format {
            case .text: try StandardOutput.write(AgentText(answer.status).text)
            case .json: try StandardOutput.write(AgentText.line(ofJSON: answer.json))
            }
            return
        }
        var run = AttachRun(directory: directory, socket: socket)
        run.format = format
        if let interval { run.interval = interval.duration }
        run.duration = duration?.duration
        let recording = try self.recording.start(
            RecordingInfo(.agent, title: agent),
            keepsLiterals: recordedSQL.literals
        )
        defer { recording?.finish() }
        run.recorder = recording?.recorder
        try run.run()
    }
}
