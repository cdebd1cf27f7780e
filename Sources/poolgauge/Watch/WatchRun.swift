import ArgumentParser
import Findings
import Foundation
import Recording
import SQLTrace
import SQLiteWatch
import Scenarios
import TerminalUI
import Text
import WorkloadEngine

/// A watch of databases without a dashboard, which writes reports.
struct WatchRun {
    var format = PlainFormat.text
    var follows = false
    var interval = Duration.seconds(1)
    /// The duration of the watch.
    ///
    /// By default, a single report covers two seconds, and other watches are unlimited.
    var duration: Duration?
    /// The condition that ends the command, if any.
    var condition: WatchConditionArgument?
    /// Whether to write a list of databases instead of a report on each database.
    var isList = false
    /// The recorder for the reports, if any.
    var recorder: FlightRecorder?
    /// The limitations of the search for databases.
    var notes: [String] = []
    /// A closure that receives the reports of each interval.
    var onReports: (([WatchReport]) -> Void)?
    /// Whether to suppress reports.
    var isSilent = false

    private let session: WatchSession
    private let sql: SQLWatch?
    private let isSingleFile: Bool

    /// The default duration of a watch for a single report.
    private static let singleReportDuration = Duration.seconds(2)
    /// The duration below which a report may miss recurring locks, in seconds.
    private static let shortDuration = 10.0

    init(files: [String], sql: SQLTraceOptions? = nil) throws {
        do {
            session = try WatchSession(
                paths: files,
                helper: ClientProcess.command(WatchHelperSubcommand.name)
            )
        } catch { throw CommandFailure(error.description, status: ExitStatus.failed.rawValue) }
        isSingleFile = files.count == 1
        self.sql = sql.map { SQLWatch(paths: files, options: $0) }
    }

    func run() throws {
        let interruption = Interruption {}
        let isStopped = { interruption.signal != nil }
        defer { sql?.end() }
        session.sample()
        try check(session.states)
        guard follows || condition != nil else {
            let reports = watch(for: duration ?? Self.singleReportDuration, until: isStopped)
            if isList {
                try Self.write(WatchedDatabaseList(reports: reports, notes: notes), format)
            } else {
                for (number, report) in reports.enumerated() {
                    try write(report, isLater: number > 0)
                    if format == .text { try writeHint(for: report) }
                }
            }
            return try end(interruption)
        }
        var remaining = duration
        while !isStopped() {
            let part = remaining.map { min($0, interval) } ?? interval
            let reports = watch(for: part, until: isStopped)
            let matchingReport = condition.flatMap { condition in
                reports.first { condition.condition.isMet(by: $0) }
            }
            if follows, !isSilent {
                for report in reports { try write(report, isLater: true) }
            } else if let matchingReport {
                try write(matchingReport, isLater: false)
            }
            if matchingReport != nil { return }
            if let time = remaining {
                remaining = time - part
                if time <= part { break }
            }
        }
        if let condition, interruption.signal == nil {
            throw CommandFailure(
                "'\(condition.text)' was not met within \(timeoutText)",
                status: ExitStatus.thresholdMissed.rawValue
            )
        }
        try end(interruption)
    }

    private var timeoutText: String {
        let parts = (duration ?? .zero).components
        return HumanUnits.secondsLabel(Double(parts.seconds) + Double(parts.attoseconds) / 1e18)
    }

    static func write(
        _ list: WatchedDatabaseList,
        _ format: PlainFormat
    ) throws {
        try StandardOutput.write(format == .json ? list.json() : list.text)
    }

    private func watch(for duration: Duration, until isStopped: () -> Bool) -> [WatchReport] {
        let reports = sample(for: duration, until: isStopped)
        onReports?(reports)
        for report in reports { recorder?.record(.watch(report)) }
        return reports
    }

    private func sample(for duration: Duration, until isStopped: () -> Bool) -> [WatchReport] {
        guard let sql else {
            session.run(for: duration, until: isStopped)
            return session.reports()
        }
        sql.run(session, for: duration, until: isStopped)
        var reports = session.reports()
        sql.complete(&reports)
        return reports
    }

    private func end(_ interruption: Interruption) throws {
        if let signal = interruption.signal { throw ExitCode(128 + signal) }
    }

    /// Throws an error for files that cannot be watched.
    ///
    /// If files may appear later, a missing file is not an error.
    private func check(
        _ states: [(path: String, state: WatchedFile.State, problem: String?)]
    ) throws {
        for (path, state, problem) in states {
            let file = Escaping.terminal(path)
            switch state {
            case .present, .empty: continue
            case .missing:
                // A listed file may be missing because a program removed it after the search.
                guard !follows, condition == nil, !isList else { continue }
                throw CommandFailure("there is no file '\(file)'; check the path")
            case .notADatabase:
                throw CommandFailure("'\(file)' is not an SQLite database: \(problem ?? "")")
            case .unreadable:
                throw CommandFailure(
                    "'\(file)' cannot be read: \(problem ?? "")",
                    status: ExitStatus.failed.rawValue
                )
            }
        }
    }

    /// Suggests a longer watch if a short report found nothing.
    ///
    /// A short report may miss recurring locks.
    private func writeHint(for report: WatchReport) throws {
        guard report.verdict.kind == .nothing, report.window.seconds < Self.shortDuration else {
            return
        }
        let time = HumanUnits.duration(seconds: report.window.seconds)
        try StandardOutput.write(
            "The report covers \(time). To find locks that recur, watch longer: --for 30s.\n"
        )
    }

    private func write(_ report: WatchReport, isLater: Bool) throws {
        switch format {
        case .json where isSingleFile && !follows:
            try StandardOutput.write(WatchJSON.text(of: report))
        case .json: try StandardOutput.write(WatchJSON.line(of: report))
        case .text:
            let text = WatchText.text(of: report, cutsStatements: isatty(STDOUT_FILENO) != 0)
            try StandardOutput.write((isLater ? "\n" : "") + text)
        }
    }
}

/// A condition, such as `pin > 30s`, `log >= 1GiB`, or `writer.share > 50%`.
struct WatchConditionArgument {
    var condition: WatchCondition
    /// The condition, as entered by the user.
    var text: String

    static func parse(_ text: String) throws -> WatchConditionArgument {
        guard
            let comparison = WatchCondition.Comparison.allCases.first(where: {
                text.contains($0.rawValue)
            }),
            let range = text.range(of: comparison.rawValue)
        else {
            throw ValidationError("'\(text)' is not a condition; use, for example, 'pin > 30s'")
        }
        let name = trimmed(text[..<range.lowerBound])
        guard let metric = WatchCondition.Metric(rawValue: name == "wal" ? "log" : name) else {
            let names = WatchCondition.Metric.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("unknown metric '\(name)'; expected one of: \(names)")
        }
        let value = try value(trimmed(text[range.upperBound...]), unit: metric.unit)
        return WatchConditionArgument(
            condition: WatchCondition(metric, comparison, value),
            text: text
        )
    }

    /// Returns the conditions of a list, such as `busy, hold > 1s`.
    static func list(_ text: String) throws -> [WatchConditionArgument] {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        return try parts.map { part in
            let text = trimmed(part)
            guard text == WatchCondition.Metric.busy.rawValue else { return try parse(text) }
            return WatchConditionArgument(condition: WatchCondition(.busy, .more, 0), text: text)
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        text.trimmingCharacters(in: .whitespaces)
    }

    private static func value(_ text: String, unit: WatchCondition.Unit) throws -> Double {
        do {
            switch unit {
            case .seconds:
                let duration = try Quantity.duration(text).components
                return Double(duration.seconds) + Double(duration.attoseconds) / 1e18
            case .bytes: return try Quantity.bytes(text)
            case .share: return try Quantity.share(text)
            case .rate: return try Quantity.rate(text)
            case .count: break
            }
        } catch { throw ValidationError(String(describing: error)) }
        guard let number = UInt64(text) else {
            throw ValidationError("'\(text)' is not a whole number")
        }
        return Double(number)
    }
}
