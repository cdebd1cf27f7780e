import Findings
import Foundation
import Reports
import SQLTrace
import SQLiteWatch
import Scenarios
import Text
import YAML
import Yams

/// The settings of `poolgauge check` in a file `poolgauge.yaml`.
///
/// ```yaml
/// version: 1
/// check:
///   scan: note
///   repeated:
///     level: error
///     times: 20
///     allow:
///       - statement: SELECT name FROM tags WHERE id = ?
///         file: cache.*
/// ```
struct CheckConfiguration {
    private let log: YAMLLog
    private var settings = CheckSettings()

    /// The name of the file in the current folder.
    static let fileName = "poolgauge.yaml"

    private static let keys = ["version", "check"]
    private static let levelKey = "level"
    private static let allowKey = "allow"

    /// Reads a file, or the file in the current folder if there is one.
    ///
    /// - Throws: ``CommandFailure`` with all errors in the file, or if a specified file cannot be read.
    static func load(_ path: String?) throws -> CheckSettings {
        guard let yaml = try TextFile.read(path ?? fileName) else {
            guard let path else { return CheckSettings() }
            throw CommandFailure("--config: there is no file '\(Escaping.terminal(path))'")
        }
        return try decode(yaml: yaml, file: path ?? fileName)
    }

    /// Decodes settings.
    ///
    /// - Throws: ``CommandFailure`` with all errors.
    static func decode(yaml: String, file: String) throws -> CheckSettings {
        var decoder = CheckConfiguration(log: YAMLLog(file: file))
        decoder.read(yaml)
        guard decoder.log.count == 0 else {
            throw CommandFailure(
                decoder.log.issues.map(\.description).joined(separator: "\n")
            )
        }
        return decoder.settings
    }

    private mutating func read(_ yaml: String) {
        guard case .root(let root) = log.document(yaml) else { return }
        for (key, value) in log.entries(root, "expected keys such as 'check:'") {
            switch YAMLLog.text(of: key) {
            case "version": log.checkVersion(value)
            case "check": readRules(value)
            default: addUnknown(key, kind: "key", among: Self.keys)
            }
        }
    }

    private mutating func readRules(_ node: Node) {
        for (key, value) in log.entries(node, "expected rules such as 'scan: note'") {
            guard let rule = CheckRule(rawValue: YAMLLog.text(of: key)) else {
                addUnknown(key, kind: "rule", among: CheckRule.allCases.map(\.rawValue))
                continue
            }
            if value.scalar != nil {
                readLevel(value, rule: rule)
                continue
            }
            for (key, value) in log.entries(
                value,
                "expected a level, or keys such as 'level: note'"
            ) {
                let name = YAMLLog.text(of: key)
                let limits = rule.limits.map(\.key)
                if name == Self.levelKey {
                    readLevel(value, rule: rule)
                } else if name == Self.allowKey {
                    settings.allowances[rule] = allowances(value)
                } else if let limit = limits.first(where: { $0.rawValue == name }) {
                    readLimit(value, rule: rule, limit: limit)
                } else {
                    let keys = [Self.levelKey, Self.allowKey] + limits.map(\.rawValue)
                    addUnknown(key, kind: "key", among: keys)
                }
            }
        }
    }

    private mutating func readLevel(_ node: Node, rule: CheckRule) {
        var name = YAMLLog.text(of: node)
        // In YAML 1.1, `off` is a Boolean, whose text is kept.
        if node.bool == false, name.lowercased() == "off" { name = "off" }
        guard let level = CheckRule.Level(rawValue: name) else {
            return addUnknown(node, kind: "level", among: CheckRule.Level.allCases.map(\.rawValue))
        }
        settings[level: rule] = level
    }

    private mutating func readLimit(_ node: Node, rule: CheckRule, limit: CheckRule.Limit) {
        let text = YAMLLog.text(of: node)
        if limit.isTime {
            do {
                settings[rule, limit] = Double(try Quantity.duration(text).wholeNanoseconds) / 1e9
            } catch { log.add(String(describing: error), at: node.mark) }
            return
        }
        guard let number = Int(text), number > 0, number <= 1_000_000_000 else {
            return log.add("'\(text)' is not a number from 1 to 1000000000", at: node.mark)
        }
        settings[rule, limit] = Double(number)
    }

    private func allowances(_ node: Node) -> [CheckSettings.Allowance] {
        guard let entries = node.sequence else {
            log.add("expected a list, such as '- statement: SELECT …'", at: node.mark)
            return []
        }
        return entries.map { entry in
            var allowance = CheckSettings.Allowance()
            let count = log.count
            for (key, value) in log.entries(entry, "expected 'statement: …' or 'file: …'") {
                switch YAMLLog.text(of: key) {
                case "statement":
                    allowance.statement = log.string(value).map(CheckedText.pattern)
                case "file": allowance.file = log.string(value)
                default: addUnknown(key, kind: "key", among: ["statement", "file"])
                }
            }
            if allowance == CheckSettings.Allowance(), log.count == count {
                log.add("expected 'statement: …' or 'file: …'", at: entry.mark)
            }
            return allowance
        }
    }

    private func addUnknown(_ node: Node, kind: String, among known: [String]) {
        let name = YAMLLog.text(of: node)
        log.add("unknown \(kind) '\(name)'" + NearestName.hint(name, among: known), at: node.mark)
    }
}

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
