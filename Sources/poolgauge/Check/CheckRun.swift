import Findings
import Foundation
import SQLTrace
import SQLiteWatch
import Text
import WorkloadEngine

/// A command whose statements are checked, from its start to its end, without privileges.
struct CheckRun {
    let command: [String]
    let settings: CheckSettings

    /// The time between two reads of records, in microseconds.
    private static let pause: UInt32 = 10_000

    /// Runs the command, and returns the report, without a baseline.
    func run() throws -> CheckReport {
        let clock = ContinuousClock()
        let start = clock.now
        let started = try TracedProgram(command, checking: settings)
        let (session, process) = (started.session, started.process)
        defer { session.close() }
        let signals = CommandRun.forwardSignals(to: process)
        defer { for source in signals { source.cancel() } }
        var status: Int32 = 0
        while waitpid(process, &status, WNOHANG) == 0 {
            session.poll()
            usleep(Self.pause)
        }
        session.poll()
        let seconds = (clock.now - start) / .seconds(1)
        return report(
            session,
            commandStatus: CommandRun.exitStatus(status),
            seconds: seconds
        )
    }

    private func report(
        _ session: AgentTraceSession,
        commandStatus: Int32,
        seconds: Double
    ) -> CheckReport {
        let checked = session.finishChecks()
        let observations = (checked?.observations ?? []) + leftovers(checked?.databases ?? [])
        let (obstacle, totals) = (session.obstacle, checked?.totals)
        var report = CheckReport(
            command: command,
            commandStatus: commandStatus,
            seconds: seconds,
            findings: observations.map { CheckFinding($0, level: settings[level: $0.rule]) },
            settings: settings
        ) { rule in
            if let obstacle { return obstacle }
            guard let totals, totals.executions > 0 else { return "no statement was seen" }
            guard rule.needsFile, totals.fileExecutions == 0 else { return nil }
            return "no file database was used"
        }
        report.executions = totals?.executions ?? 0
        report.programs = totals?.processes ?? 0
        report.databases = totals?.files ?? 0
        report.notes = checked?.notes ?? []
        if let totals, totals.isFull {
            report.notes.append("there were more findings than are listed")
        }
        if let totals, totals.isPartial {
            report.notes.append("there were more open connections than can be followed")
        }
        report.decide()
        return report
    }

    /// Returns the databases whose `-wal` files no process uses.
    private func leftovers(_ databases: [String]) -> [CheckObservation] {
        guard settings[level: .leftoverWAL] != .off else { return [] }
        let present = databases.filter { path in
            var status = stat()
            return stat(path, &status) == 0 && stat(path + "-wal", &status) == 0
                && status.st_size > 0
                && !settings.allows(.leftoverWAL, statement: nil, file: path)
        }
        let watched = Array(present.prefix(WatchSession.databaseLimit))
        let session = try? WatchSession(
            paths: watched,
            helper: ClientProcess.command(WatchHelperSubcommand.name)
        )
        session?.sample()
        let found = (session?.reports() ?? []).filter { report in
            report.findings.contains { $0.kind == .leftoverWAL }
        }
        return found.map { report in
            var observation = CheckObservation(.leftoverWAL, nil)
            observation.file = report.file.path
            observation.measure = Double(report.wal?.bytes ?? 0)
            return observation
        }
    }
}

extension CheckReport {
    /// The report as a test suite, in which each rule is a test case.
    var junit: String {
        let name = "poolgauge check: " + command.joined(separator: " ")
        let cases = rules.map { rule in
            let found = findings.filter { $0.rule == rule.rule && $0.isNew != false }
            let texts = found.map { finding in
                [finding.statement, finding.file, finding.text, finding.remedy].compactMap(\.self)
                    .joined(separator: "\n")
            }
            let text = texts.joined(separator: "\n\n")
            if found.contains(where: \.fails) {
                return JUnitReport.Case(
                    name: rule.rule.rawValue,
                    outcome: .failure(rule.level.rawValue, text)
                )
            }
            return JUnitReport.Case(
                name: rule.rule.rawValue,
                outcome: rule.notApplied.map { .skipped($0) } ?? .passed,
                output: text.isEmpty ? nil : text
            )
        }
        return JUnitReport.text(suite: name, seconds: seconds, cases)
    }
}
