import Foundation
import Scenarios
import Text
import WorkloadEngine

package struct FidelityReport {
    package struct Row: Sendable {
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
        /// The number of transactions, in the capture and in the run.
        package var count: (captured: Double, replayed: Double)
        /// The number of transactions that the run would have had at the captured rate, or `nil` if it
        /// was as long as the capture.
        var expectedCount: Double?
        /// The ratio of the standard deviation of the durations to their mean, in the capture and in
        /// the run.
        package var variation: (captured: Double, replayed: Double)
        /// The median duration of transactions in seconds, in the capture and in the run, or `nil`
        /// if unknown.
        package var medians: (captured: Double?, replayed: Double?) = (nil, nil)
        /// What the processors explain of the difference of the durations.
        var processors = ProcessorChange()
        /// The pauses in a transaction of the run: their total time in seconds, and their number.
        var pauses: (seconds: Double, count: Int) = (0, 0)
        /// Whether the transactions only read.
        var isRead = true

        /// The captured mean duration with the speed of the processors that differs least from the
        /// duration in the run, in seconds, or `nil` if a duration is unknown.
        var expectedSeconds: Double? {
            guard let captured = seconds.captured, let replayed = seconds.replayed else {
                return nil
            }
            return expected(captured, replayed: replayed)
        }

        private func expected(_ captured: Double, replayed: Double) -> Double {
            let computing = max(0, captured - pauses.seconds)
            // The speed of a processor changes neither the wait for a disk nor that for a lock.
            let ratios = isRead ? processors.ratios : 1...1
            let delay = min(
                processors.delay * Double(1 + pauses.count),
                computing * (processors.slowdown - 1)
            )
            let shortest = captured - computing * (1 - ratios.lowerBound)
            let longest = captured + computing * (ratios.upperBound - 1) + delay
            return min(max(replayed, shortest), longest)
        }

        /// The time by which the captured transactions took longer than those of the run, in
        /// seconds, or `nil` if unknown.
        ///
        /// A few long waits, for a disk or a lock, move the mean of a short run, but not its
        /// median. So this is the smaller of the two differences.
        var excess: Double? {
            guard let captured = expectedSeconds, let replayed = seconds.replayed else {
                return nil
            }
            let mean = captured - replayed
            guard let captured = medians.captured, let replayed = medians.replayed else {
                return mean
            }
            let median = expected(captured, replayed: replayed) - replayed
            guard (mean < 0) == (median < 0) else { return 0 }
            return abs(mean) < abs(median) ? mean : median
        }

        /// The part of ``excess`` that chance does not explain, in seconds, or `nil` if unknown.
        var certainExcess: Double? {
            excess.map { excess in
                let explained = timeChance * max(seconds.captured ?? 0, seconds.replayed ?? 0)
                return excess < 0 ? min(0, excess + explained) : max(0, excess - explained)
            }
        }

        /// The relative difference of two counts that chance explains, from about two standard
        /// errors.
        fileprivate var chance: Double {
            2 * (1 / max(count.captured, 1) + 1 / max(count.replayed, 1)).squareRoot()
        }
        /// Whether chance explains the difference of the numbers of transactions, from about two
        /// standard errors, even if one of them is 0.
        var isCountExplained: Bool {
            let expected = expectedCount ?? count.captured
            return abs(expected - count.replayed) <= 2
                * max(1, expected + count.replayed).squareRoot()
        }
        /// The ratio of the rows of the run to those of the capture if it differs from 1 by more than
        /// the tolerance and chance, or `nil` otherwise.
        var excessRows: Double? {
            guard let captured = rows.captured, let replayed = rows.replayed else { return nil }
            return Self.excess(captured, replayed, smallest: 0.05, chance: rowChance)
        }
        /// The ratio of the mean time of the run to that of the capture, as ``excessRows``.
        var excessTime: Double? {
            guard let captured = expectedSeconds, let replayed = seconds.replayed else {
                return nil
            }
            return Self.excess(
                captured,
                replayed,
                smallest: FidelityReport.timeTolerance,
                chance: timeChance
            )
        }

        /// The ratio that shows whether the operation's values find what the program's values find.
        ///
        /// A statement with LIMIT or an aggregate returns the same number of rows for many values.
        func excess(of operation: CapturedScenario.Operation) -> Double? {
            operation.returnsFoundRows ? excessRows : isRare ? nil : excessTime
        }

        /// The size of the difference that other values may reduce.
        func valueDistance(of operation: CapturedScenario.Operation) -> Double {
            abs(log(excessRows ?? excess(of: operation) ?? 1))
        }

        private static func excess(
            _ captured: Double,
            _ replayed: Double,
            smallest: Double,
            chance: Double
        ) -> Double? {
            let ratio = max(replayed, smallest) / max(captured, smallest)
            guard abs(captured - replayed) > smallest,
                abs(log(ratio)) > log(1 + FidelityReport.tolerance + chance)
            else { return nil }
            return ratio
        }

        /// Whether the operation takes less than 1% of the time, of the time with a write lock, and of
        /// the failures, in the capture and in the run, so that its own time is not judged.
        var isRare = false
        /// The ratio of the standard deviation of the captured numbers of rows to their mean.
        var rowVariation = 0.0
        /// The relative difference of two mean numbers of rows that chance explains.
        fileprivate var rowChance: Double { chance * rowVariation }
        /// The relative difference of two mean durations that chance explains.
        ///
        /// A few long waits for a lock, or one pause of the machine, may make up most of a mean.
        fileprivate var timeChance: Double {
            // A short run may lack the rare long waits of the capture.
            let most = max(variation.captured, variation.replayed)
            let captured = count.captured < 2 ? most : variation.captured
            return 2
                * (captured * captured / max(count.captured, 1)
                + most * most / max(count.replayed, 1)).squareRoot()
        }
    }

    /// The operations, in the scenario's order.
    package let rows: [Row]
    /// The share of time that transactions spent writing, in the capture and in the run.
    ///
    /// The times of concurrent connections are summed.
    package let writeShare: (captured: Double, replayed: Double)
    /// The relative difference of the replayed share that chance explains.
    private let writeChance: Double
    private let processors: ProcessorChange
    private let omissions: [String]
    private let notes: [String]

    /// Compares a capture with a run.
    ///
    /// - Parameters:
    ///   - scenario: The captured scenario.
    ///   - result: The result of the arm ``CapturedScenario/presentArm``.
    ///   - processors: What the processors explain of the differences of times.
    ///   - meanRows: A closure that returns the mean number of rows per execution of a statement in
    ///     the run, or `nil` if unknown.
    package init(
        _ scenario: CapturedScenario,
        _ result: ArmResult,
        processors: ProcessorChange = ProcessorChange(),
        rows meanRows: (String) -> Double? = { _ in nil }
    ) {
        var replayedShare = 0.0
        var rows = scenario.operations.map { operation in
            let client = result.clients[operation.client]
            let metrics = client?.operations?[operation.name] ?? client
            let errorCount = metrics?.errorCount ?? 0
            let completed = metrics?.completed ?? 0
            // As in the capture, a failed transaction counts.
            let attempts = Double(completed + errorCount) / Double(max(1, completed))
            let rate = (metrics?.throughput ?? 0) * (completed > 0 ? attempts : 0)
            // Measure from the wait for BEGIN to the end of COMMIT, as in the capture.
            let nanoseconds = metrics?.response.map { Double($0.mean) }
            let lag = metrics?.lag.map { Double($0.mean) } ?? 0
            let seconds = nanoseconds.map { max(0, $0 - lag) / 1e9 }
            if operation.writes {
                // A failed transaction holds no lock.
                replayedShare += (metrics?.throughput ?? 0) * (seconds ?? 0) * operation.writeShare
            }
            let busyErrorCount =
                metrics?.errors.reduce(0) { $0 + ($1.key.contains("BUSY") ? $1.value : 0) } ?? 0
            let lockFailures = (metrics?.retried ?? 0) + busyErrorCount
            return Row(
                name: "\(operation.client) \(operation.name)",
                rate: (operation.rate, rate),
                seconds: (operation.meanSeconds, seconds),
                rows: (operation.rows, completed > 0 ? Self.rows(of: operation, meanRows) : nil),
                busy: (
                    operation.busyShare,
                    Double(lockFailures) / Double(max(1, metrics?.started ?? 1))
                ),
                count: (operation.count, Double(completed + errorCount)),
                expectedCount: operation.rate * result.duration,
                variation: (
                    operation.variation,
                    // The only operation of a client has no spectra of its own.
                    Self.variation(
                        of: client?.operations?.count ?? 0 > 1 ? metrics?.spectra : client?.spectra
                    )
                ),
                medians: (
                    operation.medianSeconds,
                    metrics?.response?.p50.map {
                        max(0, Double($0) - Double(metrics?.lag?.p50 ?? 0)) / 1e9
                    }
                ),
                processors: processors,
                pauses: (operation.pauseSeconds, operation.pauseCount),
                isRead: !operation.writes,
                isRare: operation.isRare,
                rowVariation: operation.rowVariation
            )
        }
        let replayed = rows.reduce(0) { $0 + $1.rate.replayed * ($1.seconds.replayed ?? 0) }
        for index in rows.indices where rows[index].isRare {
            let row = rows[index]
            rows[index].isRare =
                row.rate.replayed * (row.seconds.replayed ?? 0) <= ShapeChoice.notableShare
                * replayed
        }
        self.rows = rows
        writeShare = (scenario.writeShare, replayedShare)
        // The share is a sum over the operations, each with its own number of transactions.
        writeChance =
            zip(scenario.operations, rows).filter { $0.0.writes }.map { operation, row in
                let share = operation.rate * (operation.meanSeconds ?? 0) * operation.writeShare
                let count = row.chance * share
                let time = row.timeChance * share
                return count * count + time * time
            }.reduce(0, +).squareRoot() / max(scenario.writeShare, 1e-9)
        self.processors = processors
        omissions = scenario.omissions
        var notes: [String] = []
        if !result.valid {
            notes.append("the run is invalid: \(result.invalidReason ?? "unknown reason")")
        }
        for (name, client) in result.clients.sorted(by: { $0.key < $1.key }) {
            // Failures because of locks are compared with those in the capture.
            let errors = client.errors.filter { !$0.key.contains("BUSY") }
                .sorted { $0.key < $1.key }
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

    /// Returns the ratio of the standard deviation to the mean of times without lag, or 0 if unknown.
    private static func variation(of spectra: LatencySpectra?) -> Double {
        guard let spectra, let wait = spectra.wait.mean, let service = spectra.service.mean,
            wait + service > 0
        else { return 0 }
        return (spectra.wait.variance + spectra.service.variance).squareRoot() / (wait + service)
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

    // MARK: Verdict

    /// A number that differs between the capture and the run by more than the tolerance.
    package struct Difference: Sendable, Equatable {
        /// What differs, with both numbers.
        package var text: String
        /// What to edit in the scenario.
        package var remedy: String
        /// The size of the difference, as the natural logarithm of a ratio.
        var size: Double
    }

    /// The relative difference up to which two numbers count as equal.
    static let tolerance = 0.1
    /// The difference of two shares up to which they count as equal.
    private static let shareTolerance = 0.03
    /// The difference of two times up to which they count as equal, in seconds.
    private static let timeTolerance = 200e-6

    /// The differences, largest first.
    package var differences: [Difference] { differences(explained: true) }

    /// Returns the differences, largest first, without those that the processors explain or with
    /// them.
    private func differences(explained: Bool) -> [Difference] {
        var found: [Difference] = []
        func compare(
            _ captured: Double,
            replayed: Double,
            name: String,
            smallest: Double,
            expected: Double? = nil,
            chance: Double = 0,
            _ text: (Double) -> String,
            remedy: String
        ) {
            let expected = expected ?? captured
            guard abs(expected - replayed) > smallest else { return }
            let size = abs(log(max(expected, smallest) / max(replayed, smallest)))
            guard size > log(1 + Self.tolerance + chance) else { return }
            found.append(
                Difference(
                    text: "\(name): \(text(captured)) captured, \(text(replayed)) replayed",
                    remedy: remedy,
                    size: size
                )
            )
        }
        for row in rows {
            compare(
                row.rate.captured,
                replayed: row.rate.replayed,
                name: "transactions per second of \(row.name)",
                smallest: 0.01,
                chance: row.isCountExplained ? .infinity : row.chance,
                ReportUnits.compact,
                remedy: "edit the client's arrival rate or think time"
            )
            if !row.isRare, let captured = row.seconds.captured,
                let replayed = row.seconds.replayed
            {
                compare(
                    captured,
                    replayed: replayed,
                    name: "time of \(row.name)",
                    smallest: Self.timeTolerance,
                    expected: explained ? row.expectedSeconds : nil,
                    chance: row.timeChance,
                    ReportUnits.compactTime,
                    remedy: "edit the operation's pauses, or the ranges of its values"
                )
            }
            if let captured = row.rows.captured, let replayed = row.rows.replayed {
                compare(
                    captured,
                    replayed: replayed,
                    name: "rows of \(row.name)",
                    smallest: 0.05,
                    chance: row.rowChance,
                    ReportUnits.compact,
                    remedy: "edit the variables whose values the statement compares"
                )
            }
            let failures = abs(row.busy.captured - row.busy.replayed)
            if failures > Self.shareTolerance + row.chance / 2 {
                found.append(
                    Difference(
                        text: "failures of \(row.name): "
                            + "\(ReportUnits.compactShare(row.busy.captured)) captured, "
                            + "\(ReportUnits.compactShare(row.busy.replayed)) replayed",
                        remedy:
                            "edit the arm's busy timeout and BEGIN, or the pauses of the holder",
                        size: 10 * failures
                    )
                )
            }
        }
        compare(
            writeShare.captured,
            replayed: writeShare.replayed,
            name: "time in write transactions",
            smallest: Self.shareTolerance,
            chance: writeChance,
            ReportUnits.compactShare,
            remedy: "edit the pauses inside write transactions"
        )
        return found.sorted { $0.size > $1.size }
    }

    /// The sum of all differences, as logarithms of ratios, to compare two scenarios.
    ///
    /// It contains the differences that the processors explain, which are others in each run.
    package var distance: Double {
        differences(explained: false).reduce(0) { $0 + $1.size } + Double(notes.count)
    }

    /// Whether a change of the machine's speed may be the only reason for the differences.
    package var mayDependOnSpeed: Bool {
        notes.isEmpty && rows.allSatisfy { $0.excessRows == nil }
    }

    /// Whether the run resembles the capture in all compared numbers.
    package var isFaithful: Bool { differences.isEmpty && notes.isEmpty }

    /// Whether a difference would exist without what the processors explain.
    private var processorsExplain: Bool { differences.count < differences(explained: false).count }

    /// The operations that the run lacks by chance, whose times and rows are not compared.
    private var absent: [Row] {
        rows.filter { $0.count.captured > 0 && $0.count.replayed == 0 && $0.isCountExplained }
    }

    /// The maximum number of differences in the verdict.
    private static let differenceLimit = 3

    /// The last lines of the report: whether the run resembles the capture, and what to edit.
    private var verdict: [String] {
        let differences = differences
        guard !isFaithful else {
            let text =
                "faithful: rates, times, rows, failures, and lock time agree within 10% and chance"
            return [processorsExplain ? text + ", apart from what the processors explain" : text]
        }
        var lines = ["not faithful:"]
        lines += notes.prefix(Self.differenceLimit).map { "  \($0)" }
        lines += differences.prefix(Self.differenceLimit).map { "  \($0.text); \($0.remedy)" }
        let more = differences.count - Self.differenceLimit
        if more > 0 { lines.append("  and \(HumanUnits.exact(more, "smaller difference"))") }
        return lines
    }

    // MARK: Text

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
        if processorsExplain { lines.append(processors.text) }
        if !absent.isEmpty {
            lines.append(
                "too rare for this check, which contains none (a longer --check does): "
                    + absent.map(\.name).joined(separator: ", ")
            )
        }
        if !omissions.isEmpty { lines += ["not modeled:"] + omissions.map { "  " + $0 } }
        lines += verdict
        return lines.map { line in
            var line = line
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
