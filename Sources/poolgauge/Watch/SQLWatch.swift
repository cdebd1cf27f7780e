import Findings
import SQLTrace
import SQLiteWatch

/// A trace of the statements of watched programs, in addition to a watch session.
///
/// If tracing fails, the reports contain the reason and all data that is available without tracing.
struct SQLWatch {
    private let session: (any StatementTrace)?
    /// The reason that SQL is not traced, or `nil`.
    let problem: String?

    /// The time between two reads of events.
    ///
    /// The time must be short enough that the kernel's buffer does not fill up.
    private static let pollInterval = Duration.milliseconds(20)

    /// Uses a trace that has started.
    init(_ session: any StatementTrace) {
        self.session = session
        problem = nil
    }

    init(paths: [String], options: SQLTraceOptions) {
        guard !options.readsStartedPrograms else {
            session = AgentTraceSession.opened(options, paths: paths, planning: Self.planning)
            problem = nil
            return
        }
        do throws(TraceError) {
            session = try SQLTraceSession(
                paths: paths,
                commands: SQLTraceCommands(
                    calibration: ClientProcess.command(SQLCalibrationSubcommand.name),
                    planning: Self.planning,
                    opening: ClientProcess.command(OpenGateSubcommand.name)
                ),
                options: options
            )
            problem = nil
        } catch {
            session = nil
            problem = "SQL is not shown: \(error.description)."
        }
    }

    /// The command for the process that plans statements.
    static let planning = ClientProcess.command(StatementPlanSubcommand.name)

    func add(_ paths: [String]) {
        for path in paths { session?.add(path: path) }
    }

    func end() { session?.close() }

    /// Watches for a duration, reading events at short intervals.
    func run(_ watch: WatchSession, for duration: Duration, until isStopped: () -> Bool) {
        guard let session else { return watch.run(for: duration, until: isStopped) }
        let clock = ContinuousClock()
        let end = clock.now + duration
        while !isStopped() {
            let remaining = end - clock.now
            guard remaining > .zero else { return }
            watch.run(for: min(remaining, Self.pollInterval), until: isStopped)
            session.poll()
        }
    }

    func complete(_ reports: inout [WatchReport]) {
        for index in reports.indices {
            if let problem { reports[index].notes.append(problem) }
        }
        session?.completeReports(&reports)
    }
}
