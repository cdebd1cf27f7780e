import ArgumentParser
import Dispatch
import PoolgaugeAgent
import SQLiteWatch

struct ExportSubcommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Serve metrics of a database or an agent for Prometheus.",
        discussion: """
            Serves GET /metrics until ^C, at \(ListenOptions.standard) by default. For a database \
            file, watches the file without opening it through SQLite, as 'poolgauge top' does. For \
            an agent, requests the agent's status each time the metrics are read, and reconnects \
            if the program restarts.

            run, dashboard, top, and attach --follow serve metrics with --listen.
            """
    )

    @Argument(
        help: "A database file, or an agent: its name, the ID of its process, or its socket.",
        completion: .file()
    )
    var target: String?

    @Flag(help: "Print a table of all metrics in Markdown.")
    var listMetrics = false

    @OptionGroup var export: ListenOptions

    func validate() throws {
        if target == nil, !listMetrics {
            throw ValidationError(
                "specify a database file or an agent; `poolgauge attach` lists the agents"
            )
        }
    }

    func run() throws {
        guard let target, !listMetrics else {
            return try StandardOutput.write(ExportedMetrics.markdown)
        }
        switch ExportTarget(target) {
        case .file(let path): try watch(path)
        case .agent(let address): try follow(address, named: target)
        }
    }

    private func watch(_ path: String) throws {
        let source = WatchSource.paths([try DatabaseFile.url(path, option: nil).path])
        let helper = ClientProcess.command(WatchHelperSubcommand.name)
        let found = try source.find(DatabaseSearch(helper: helper))
        let metrics = WatchMetrics()
        var run = try WatchRun(files: found.paths)
        run.follows = true
        run.isSilent = true
        run.onReports = { metrics.receive($0) }
        let server = try export.server(at: defaultAddress) { metrics.text() }
        defer { server?.stop() }
        try run.run()
    }

    private func follow(_ address: AgentAddress, named name: String) throws {
        let requests: AgentRequests
        do {
            requests = try AgentRequests(address, in: AgentDirectory(folder: .standard))
        } catch let failure as CommandFailure {
            let message = "there is no file '\(name)', and " + failure.message
            throw CommandFailure(message, status: failure.status)
        }
        let metrics = AgentMetricsSource(name: name)
        let stopSignal = DispatchSemaphore(value: 0)
        let interruption = Interruption { stopSignal.signal() }
        let server = try export.server(at: defaultAddress) {
            metrics.receive(requests.status())
            return metrics.text()
        }
        defer { server?.stop() }
        stopSignal.wait()
        if let signal = interruption.signal { throw ExitCode(128 + signal) }
    }

    private var defaultAddress: ListenAddress? { ListenAddress(ListenOptions.standard) }
}
