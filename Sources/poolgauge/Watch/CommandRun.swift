import ArgumentParser
import Dispatch
import Findings
import Foundation
import Recording
import SQLTrace
import SQLiteWatch
import Text
import WorkloadEngine

/// A watch of a command, from its start to its end, without privileges.
///
/// The command has this process's terminal, and its exit status becomes that of this process. Reports
/// go to standard error, so that the output of the command stays as it is.
struct CommandRun {
    let command: [String]
    /// The databases to watch, or an empty array to watch all that the command uses.
    var paths: [String] = []
    var options = SQLTraceOptions()
    var format = PlainFormat.text
    /// The time between two reports, or `nil` for one report at the end.
    var interval: Duration?
    /// Whether to write the reports.
    var isSilent = false
    var recorder: FlightRecorder?
    var onReports: (([WatchReport]) -> Void)?

    /// Runs the command, and returns its exit status, or 128 plus the number of the signal that ended
    /// it.
    func run() throws -> Int32 {
        let started = try TracedProgram(command, paths: paths, options)
        let (session, process) = (started.session, started.process)
        defer { session.close() }
        let signals = Self.forwardSignals(to: process)
        defer { for source in signals { source.cancel() } }
        if let obstacle = session.obstacle {
            StandardError.write("poolgauge: the SQL of the command is not visible: \(obstacle)\n")
        }
        var watch = Watch(session, command: command.first ?? "")
        let clock = ContinuousClock()
        var next = interval.map { clock.now + $0 }
        var status: Int32 = 0
        while waitpid(process, &status, WNOHANG) == 0 {
            watch.proceed()
            if let time = next, let interval, clock.now >= time {
                next = time + interval
                try report(watch.reports())
            }
        }
        watch.proceed()
        try report(watch.reports(), isLast: session.obstacle == nil)
        return Self.exitStatus(status)
    }

    /// Returns the exit status in a status of waitpid(2), or 128 plus the number of the signal.
    static func exitStatus(_ status: Int32) -> Int32 {
        // WIFEXITED, WEXITSTATUS, and WTERMSIG
        status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
    }

    private func report(_ reports: [WatchReport], isLast: Bool = false) throws {
        if isLast, reports.isEmpty, !isSilent {
            StandardError.write("poolgauge: the command used no SQLite database that is visible\n")
        }
        onReports?(reports)
        for report in reports { recorder?.record(.watch(report)) }
        guard !isSilent else { return }
        for report in reports {
            switch format {
            case .json: StandardError.write(try WatchJSON.line(of: report))
            case .text:
                StandardError.write("\n" + WatchText.text(of: report, cutsStatements: false))
            }
        }
    }

    /// Leaves the signals that a terminal sends to the command, which receives them, too, and forwards
    /// those that other programs send to this process.
    static func forwardSignals(to process: Int32) -> [any DispatchSourceSignal] {
        for number in [SIGINT, SIGQUIT] { _ = signal(number, SIG_IGN) }
        return [SIGTERM, SIGHUP].map { number in
            _ = signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { _ = kill(process, number) }
            source.resume()
            return source
        }
    }

    /// The databases that the command uses.
    private struct Watch {
        private let trace: AgentTraceSession
        private let sql: SQLWatch
        private var session: WatchSession?
        private let command: String
        private let start = ContinuousClock().now

        /// The time between two reads of records.
        private static let pause = Duration.milliseconds(20)

        init(_ trace: AgentTraceSession, command: String) {
            self.trace = trace
            self.command = command
            sql = SQLWatch(trace)
        }

        mutating func proceed() {
            _ = trace.poll()
            for path in trace.newFiles {
                if let session {
                    session.add(path: path)
                } else {
                    session = try? WatchSession(
                        paths: [path],
                        helper: ClientProcess.command(WatchHelperSubcommand.name)
                    )
                }
            }
            if let session {
                session.run(for: Self.pause)
            } else {
                Thread.sleep(forTimeInterval: 0.02)
            }
        }

        /// Returns the reports on the files and on the databases in memory.
        func reports() -> [WatchReport] {
            let seconds = (ContinuousClock().now - start) / .seconds(1)
            let window = WatchWindow(
                seconds: seconds,
                samples: 0,
                samplesPerSecond: 0,
                listSamples: 0,
                processorShare: 0
            )
            var reports = session?.reports() ?? []
            reports += [trace.memoryReport(window)].compactMap(\.self)
            sql.complete(&reports)
            return reports
        }
    }
}

/// A program that is started with the library that sees its statements.
struct TracedProgram {
    let session: AgentTraceSession
    let process: Int32

    /// The library that a package installs, or that the build created next to this program.
    private static var library: String? {
        let folder = URL(fileURLWithPath: ClientProcess.path).deletingLastPathComponent()
        let name = "libpoolgauge_trace.so"
        return [
            folder.appendingPathComponent(name),
            folder.appendingPathComponent("../lib/poolgauge/\(name)").standardized,
        ].map(\.path).first { FileManager.default.fileExists(atPath: $0) }
    }

    /// Starts a command.
    ///
    /// - Parameters:
    ///   - command: The program and its arguments.
    ///   - paths: The databases to trace, or an empty array to trace all that the command uses.
    ///   - options: The tracing options.
    ///   - requiresLibrary: Whether to start the command only if it has the library.
    ///   - handled: The signals that this process already handles.
    /// - Throws: ``CommandFailure`` if the command cannot be started.
    init(
        _ command: [String],
        paths: [String],
        _ options: SQLTraceOptions,
        requiresLibrary: Bool = false,
        handled: [Int32] = []
    ) throws {
        do throws(TraceError) {
            session = try AgentTraceSession(options, paths: paths, commands: SQLWatch.commands)
            process = try session.start(
                command,
                library: Self.library,
                requiresLibrary: requiresLibrary,
                handled: handled
            )
        } catch {
            throw CommandFailure(error.description, status: ExitStatus.failed.rawValue)
        }
    }

    /// Starts a command whose statements are only checked.
    ///
    /// - Throws: ``CommandFailure`` if the command cannot be started.
    init(_ command: [String], checking settings: CheckSettings) throws {
        do throws(TraceError) {
            session = try AgentTraceSession(checking: settings, planning: SQLWatch.planning)
            process = try session.start(command, library: Self.library)
        } catch {
            throw CommandFailure(error.description, status: ExitStatus.failed.rawValue)
        }
    }
}
