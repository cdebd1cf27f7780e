import Capture
import Findings
import Foundation
import Recording
import SQLText
import SQLiteWatch
import WorkloadEngine

/// The executions of statements in a recording of `top --sql`.
///
/// A report counts the executions of each statement, but does not contain their order. The
/// executions in an interval are therefore assumed to be independent. They arrive as in a Poisson
/// process, and each statement is a separate transaction.
struct RecordedExecutions {
    private(set) var executions: [CapturedExecution] = []
    /// The limitations of the recording, one sentence each.
    private(set) var notes: [String] = []
    private(set) var programs = CapturedPrograms()

    private static let limit = 200_000

    /// The executions of one statement between two reports.
    private struct Batch {
        var sql: String
        var count: Int
        var processes: [Int]
        var rows: Int?
        /// The start of the interval, in seconds since 1970.
        var start: Double
        /// The end of the interval, in seconds since 1970.
        var end: Double
    }

    /// Reads the executions of statements on a database.
    ///
    /// - Throws: ``CommandFailure`` with an explanation if the recording does not contain the
    ///   executions.
    init(_ reader: RecordingReader, database: String) throws {
        let contents = reader.contents
        let path = reader.path
        guard contents.sessions.contains(where: { $0.kind == .watch }) else {
            throw CommandFailure(Self.explanation(of: contents.sessions.first?.kind, path))
        }
        let name = try Self.source(of: database, in: contents, path)
        var reports: [WatchReport] = []
        for row in contents.rows where contents.sources[row.source].name == name {
            if case .watch(let report)? = try? reader.value(of: row) { reports.append(report) }
        }
        guard reports.contains(where: { $0.statements != nil }) else {
            throw CommandFailure(
                "'\(path)' contains no statements: it was recorded without --sql, or the programs "
                    + "could not be traced; as root on Linux, record again with `poolgauge record "
                    + "FILE --sql --output RECORDING`, or trace the programs with `poolgauge capture "
                    + "--for`"
            )
        }
        self.init(reports)
        guard !executions.isEmpty else {
            throw CommandFailure(
                "'\(path)' contains no statements on '\(name)'; record for longer"
            )
        }
    }

    /// Distributes the counted executions of each report over the report's interval.
    init(_ reports: [WatchReport]) {
        var batches: [Batch] = []
        var lastStatements: [String: WatchedStatement] = [:]
        var traced = 0.0
        var last: Double?
        var (executionCount, transactionCount, isIncomplete) = (0, 0, false)
        for report in reports {
            guard let statements = report.statements, let tracing = report.tracing else { continue }
            programs.add(report)
            let now = Double(report.time.milliseconds) / 1000
            // A new session counts from 0.
            if tracing.seconds < traced { (lastStatements, last) = ([:], nil) }
            let start = last ?? now - max(tracing.seconds, 0.001)
            (traced, last) = (tracing.seconds, now)
            isIncomplete = isIncomplete || tracing.lost > 0
            for statement in statements {
                let old = lastStatements[statement.sql]
                let count = Int(clamping: statement.calls - min(old?.calls ?? 0, statement.calls))
                lastStatements[statement.sql] = statement
                guard count > 0, now > start else { continue }
                let kind = SQLStatementKind(statement.sql)
                if case .begin = kind { transactionCount += count }
                if kind.controlsTransaction { continue }
                executionCount += count
                batches.append(
                    Batch(
                        sql: statement.sql,
                        count: count,
                        processes: statement.pids.isEmpty ? [0] : statement.pids.map(Int.init),
                        rows: statement.rows.flatMap {
                            statement.calls > 0
                                ? Int(exactly: ($0 / Double(statement.calls)).rounded()) : nil
                        },
                        start: start,
                        end: now
                    )
                )
            }
        }
        add(batches, of: executionCount)
        if transactionCount > 0 {
            notes.append(
                "The programs began \(transactionCount) "
                    + "\(transactionCount == 1 ? "transaction" : "transactions"). "
                    + "A recording does not show which "
                    + "statements a transaction contains, so each statement is a separate "
                    + "transaction."
            )
        }
        notes.append(
            "A recording does not contain the order or times of individual executions, so they "
                + "arrive at random times at the recorded rates, and pauses are unknown."
        )
        if isIncomplete {
            notes.append("The recording lost events, so its rates are lower bounds.")
        }
    }

    /// Adds the executions in the newest intervals, up to a limit.
    private mutating func add(_ batches: [Batch], of executionCount: Int) {
        var usedBatches: [Batch] = []
        var count = 0
        for batch in batches.reversed() {
            guard count + batch.count <= Self.limit || usedBatches.isEmpty else { break }
            usedBatches.append(batch)
            count += batch.count
        }
        if count < executionCount, let first = usedBatches.last, let last = usedBatches.first {
            notes.append(
                "The scenario uses only the last \(Int((last.end - first.start).rounded())) s of the "
                    + "recording, because it contains \(executionCount) executions."
            )
        }
        var connections: [String: Int] = [:]
        // The same recording always produces the same scenario.
        var random = RandomStream(seed: 0, stream: "recording")
        for batch in usedBatches.reversed() {
            let connection = connections[batch.sql] ?? connections.count + 1
            connections[batch.sql] = connection
            // A recording does not show how often each program executed a statement, so assume
            // equal shares.
            for index in 0..<min(batch.count, Self.limit) {
                executions.append(
                    CapturedExecution(
                        end: batch.start + random.nextUnit() * (batch.end - batch.start),
                        process: batch.processes[index % batch.processes.count],
                        connection: String(connection),
                        sql: batch.sql,
                        autocommit: true,
                        rows: batch.rows
                    )
                )
            }
        }
        executions.sort { $0.end < $1.end }
    }

    /// Returns the path of a database in a recording.
    private static func source(
        of database: String,
        in contents: RecordingContents,
        _ path: String
    ) throws -> String {
        let watched = Set(contents.sessions.filter { $0.kind == .watch }.map(\.id))
        let names = Set(
            contents.sources.filter { watched.contains($0.session) }.map(\.name)
        ).sorted()
        func file(_ path: String) -> String { URL(fileURLWithPath: path).lastPathComponent }
        let full = URL(fileURLWithPath: database).resolvingSymlinksInPath().path
        if let name = names.first(where: { $0 == database || $0 == full }) { return name }
        let similar = names.filter { file($0) == file(database) }
        if similar.count == 1 { return similar[0] }
        if names.count == 1 { return names[0] }
        throw CommandFailure(
            "'\(path)' does not contain the database '\(database)'; it contains "
                + names.map { "'\($0)'" }.joined(separator: ", ")
        )
    }

    private static func explanation(of kind: RecordedKind?, _ path: String) -> String {
        switch kind {
        case .agent:
            "'\(path)' is a recording of a program's agent. It contains the SQL only of accesses that "
                + "ran at the time of a sample, and does not count the executions of each statement. "
                + "Trace the program with `poolgauge capture --for`, or record its database with "
                + "`poolgauge record FILE --sql`"
        case .run:
            "'\(path)' is a recording of a run, which already has a scenario; capture requires a "
                + "recording of a program's statements (`poolgauge record FILE --sql`)"
        case .watch, nil:
            "'\(path)' contains no samples of a database"
        }
    }
}
