import Text
import WorkloadEngine

package struct FidelityReport {
    package struct Row: Sendable, Equatable {
        /// The names of the client and the operation.
        package var name: String
        /// The number of transactions per second, in the capture and in the run.
        package var rate: (captured: Double, replayed: Double)
        /// The mean duration of transactions in seconds, in the capture and in the run, or `nil` if
        /// unknown.
        package var seconds: (captured: Double?, replayed: Double?)
        /// The number of rows per transaction, in the capture and in the run, or `nil` if unknown.
        package var rows: (captured: Double?, replayed: Double?)
        /// The number of lock failures per transaction, in the capture and in the run.
        package var busy: (captured: Double, replayed: Double)

        package static func == (first: Row, second: Row) -> Bool {
            first.name == second.name && first.rate == second.rate
        }
    }

    /// The operations, in the scenario's order.
    package let rows: [Row]
    /// The share of time that transactions spent writing, in the capture and in the run.
    ///
    /// The times of concurrent connections are summed.
    package let writeShare: (captured: Double, replayed: Double)
    private let omissions: [String]
    private let notes: [String]

    /// Compares a capture with a run.
    ///
    /// - Parameters:
    ///   - scenario: The captured scenario.
    ///   - result: The result of the arm ``CapturedScenario/presentArm``.
    ///   - meanRows: A closure that returns the mean number of rows per execution of a statement in
    ///     the run, or `nil` if unknown.
    package init(
        _ scenario: CapturedScenario,
        _ result: ArmResult,
        rows meanRows: (String) -> Double? = { _ in nil }
    ) {
        var replayedShare = 0.0
        rows = scenario.operations.map { operation in
            let client = result.clients[operation.client]
            let metrics = client?.operations?[operation.name] ?? client
            let rate = metrics?.throughput ?? 0
            // Measure from the wait for BEGIN to the end of COMMIT, as in the capture.
            let nanoseconds = metrics?.response.map { Double($0.mean) }
            let lag = metrics?.lag.map { Double($0.mean) } ?? 0
            let seconds = nanoseconds.map { max(0, $0 - lag) / 1e9 }
            if operation.writes { replayedShare += rate * (seconds ?? 0) }
            let busyErrorCount =
                metrics?.errors.reduce(0) { $0 + ($1.key.contains("BUSY") ? $1.value : 0) } ?? 0
            let lockFailures = (metrics?.retried ?? 0) + busyErrorCount
            return Row(
                name: "\(operation.client) \(operation.name)",
                rate: (operation.rate, rate),
                seconds: (operation.meanSeconds, seconds),
                rows: (operation.rows, Self.rows(of: operation, meanRows)),
                busy: (
                    operation.busyShare,
                    Double(lockFailures) / Double(max(1, metrics?.started ?? 1))
                )
            )
        }
        writeShare = (scenario.writeShare, replayedShare)
        omissions = scenario.omissions
        var notes: [String] = []
        if !result.valid {
            notes.append("the run is invalid: \(result.invalidReason ?? "unknown reason")")
        }
        for (name, client) in result.clients.sorted(by: { $0.key < $1.key }) {
            let errors = client.errors.sorted { $0.key < $1.key }
            if !errors.isEmpty {
                let codes = errors.map { "\($0.value) × \($0.key)" }.joined(separator: ", ")
                notes.append("\(name): \(codes)")
            }
        }
        for (request, count) in (result.refusals ?? [:]).sorted(by: { $0.key < $1.key }) {
            notes.append("rejected by the guard: \(count) × \(request)")
        }
        self.notes = notes
    }

    private static func rows(
        of operation: CapturedScenario.Operation,
        _ mean: (String) -> Double?
    ) -> Double? {
        let rows = operation.statements.compactMap { statement in
            mean(statement.sql).map { $0 * Double(statement.count) }
        }
        return rows.count == operation.statements.count ? rows.reduce(0, +) : nil
    }

    /// The lines of the report, with names from the captured programs.
    ///
    /// The lines may contain control characters, which must not reach a terminal.
    package var lines: [String] {
        var table = [
            ["", "transactions/s", "", "time", "", "rows", "", "busy", ""],
            ["operation"] + (0..<4).flatMap { _ in ["captured", "replayed"] },
        ]
        for row in rows {
            table.append([
                row.name, ReportUnits.compact(row.rate.captured),
                ReportUnits.compact(row.rate.replayed),
                row.seconds.captured.map(ReportUnits.compactTime) ?? "–",
                row.seconds.replayed.map(ReportUnits.compactTime) ?? "–",
                row.rows.captured.map(ReportUnits.compact) ?? "–",
                row.rows.replayed.map(ReportUnits.compact) ?? "–",
                ReportUnits.compactShare(row.busy.captured),
                ReportUnits.compactShare(row.busy.replayed),
            ])
        }
        let widths = (0..<9).map { column in table.map { $0[column].count }.max() ?? 0 }
        var lines = table.map { cells in
            cells.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + padding : padding + cell
            }.joined(separator: "  ")
        }
        lines.append(
            "write transactions took \(ReportUnits.compactShare(writeShare.captured)) of the time in "
                + "the capture and \(ReportUnits.compactShare(writeShare.replayed)) in the replay"
        )
        lines += notes
        if !omissions.isEmpty { lines += ["not modeled:"] + omissions.map { "  " + $0 } }
        return lines.map { line in
            var line = line
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
