import Findings
import SQLiteWatch
import TerminalUI
import Text

/// The screen with the statements of traced programs.
struct StatementsScreen: WatchScreen {
    static let title = "Statements"
    static let help = "statements: calls, times, waits"
    static let sortableTitles = listing.sortableTitles

    let scene: WatchScene

    private static let listing = Listing<WatchedStatement>(
        columns: [
            Listing.Column(
                "statement",
                Track(minimum: 20, ideal: 60, priority: 20),
                rank: { .text($0.sql) }
            ) { Span($0.sql, $1.bold(.text)) },
            .number("calls", width: 9, priority: 19, { Double($0.calls) }) {
                Span(($0.isIncomplete ? ">" : "") + HumanUnits.count($0.calls), $1.style(.text))
            },
            .number("calls/s", width: 9, priority: 18, \.callsPerSecond) {
                Span(
                    ($0.isSampled == true ? "≈" : "") + WatchLabels.decimal($0.callsPerSecond),
                    $1.style(.text)
                )
            },
            .number("busy", width: 7, priority: 17, { Double($0.busy) }) {
                Span($0.busy == 0 ? "" : HumanUnits.count($0.busy), $1.style(.warning))
            },
            .number("failed", width: 7, priority: 11, { Double($0.failed) }) {
                Span($0.failed == 0 ? "" : HumanUnits.count($0.failed), $1.style(.warning))
            },
            .number("waited", width: 9, priority: 16, \.waited) {
                Span($0.waited == 0 ? "" : WatchLabels.duration($0.waited), $1.style(.locked))
            },
            .number("rows", width: 9, priority: 8, { $0.rows ?? 0 }) {
                Span($0.rows.map { HumanUnits.count(UInt64(bounded: $0)) } ?? "", $1.style(.dim))
            },
            .number("mean", width: 9, priority: 15, { $0.mean ?? 0 }) {
                Span($0.mean.map(WatchLabels.duration) ?? "", $1.style(.text))
            },
            .number("p50", width: 9, priority: 9, { $0.p50 ?? 0 }) {
                Span($0.p50.map(WatchLabels.duration) ?? "", $1.style(.dim))
            },
            .number("p99", width: 9, priority: 12, { $0.p99 ?? 0 }) {
                Span($0.p99.map(WatchLabels.duration) ?? "", $1.style(.text))
            },
            .number("total", width: 9, priority: 14, { $0.seconds ?? 0 }) {
                Span($0.seconds.map(WatchLabels.duration) ?? "", $1.bold(.text))
            },
            .number("scanned", width: 9, priority: 7, { Double($0.counters?.scannedPerRun ?? 0) }) {
                Span(
                    $0.counters.map { WatchLabels.decimal($0.scannedPerRun) } ?? "",
                    $1.style(.dim)
                )
            },
            .number("pids", width: 7, priority: 10, { Double($0.pids.count) }) {
                Span(
                    $0.pids.count == 1 ? String($0.pids[0]) : "x\($0.pids.count)",
                    $1.style(.dim)
                )
            },
        ],
        name: \.sql
    )

    /// The columns for traces that do not time statements.
    private static let untimedListing: Listing<WatchedStatement> = {
        var untimed = listing
        untimed.columns.removeAll {
            ["rows", "mean", "p50", "p99", "total"].contains($0.column.title)
        }
        return untimed
    }()

    private var listing: Listing<WatchedStatement> {
        let isTimed = scene.report?.statements?.contains { $0.timed > 0 } ?? false
        return isTimed ? Self.listing : Self.untimedListing
    }

    private var statements: [WatchedStatement] {
        listing.arranged(scene.report?.statements ?? [], view: scene.view)
    }

    var rowNames: [String] { statements.map(\.sql) }

    func copyText(of row: String) -> String? { row }

    func draw(on canvas: inout Canvas, in rect: Rect) {
        if scene.view.isExpanded, let selected = scene.view.selected,
            let statement = statements.first(where: { $0.sql == selected })
        {
            return draw(statement, on: &canvas, in: rect)
        }
        listing.draw(
            scene.report?.statements ?? [],
            view: scene.view,
            in: scene.tracingPanel(
                "Statements",
                subtitle: "since the trace started",
                theme: canvas.theme
            ),
            item: "statement",
            placeholder: TracingLine.reasonForEmptyScreen(scene.report),
            wrapsPlaceholder: true,
            on: &canvas,
            in: rect
        )
    }

    /// Draws the complete text of a statement and additional details.
    private func draw(_ statement: WatchedStatement, on canvas: inout Canvas, in rect: Rect) {
        let inner = Panel(title: "Statement").draw(on: &canvas, in: rect)
        var lines = TextWrapping.lines(of: statement.sql, width: inner.width)
        lines += [""]
        for fact in facts(statement) {
            lines += TextWrapping.lines(of: fact, width: inner.width)
        }
        if let steps = statement.steps {
            lines.append("instructions: \(WatchLabels.decimal(steps)) per execution")
        }
        if let counters = statement.counters { lines += counters.lines }
        if let values = statement.values {
            lines += TextWrapping.lines(
                of: "last values: " + values.joined(separator: ", "),
                width: inner.width
            )
        }
        lines += waits(statement)
        if let plan = statement.plan {
            lines += ["", "plan, in an empty database with the same schema:"]
            lines += plan.map { "  " + $0 }
        }
        for (index, line) in lines.prefix(inner.height).enumerated() {
            let style = canvas.theme.style(.text)
            canvas.write(line, in: inner.row(index), style: style, alignment: .leading)
        }
    }

    /// The counts and times of a statement, each in a line.
    private func facts(_ statement: WatchedStatement) -> [String] {
        let names = statement.pids.map { pid in
            WatchStatementText.process(
                scene.report?.processes.first { $0.pid == pid }?.name,
                pid: pid
            )
        }
        let isEstimate = statement.isSampled == true ? "≈" : ""
        var facts = [
            "processes: " + names.joined(separator: ", "),
            "calls: \(statement.isIncomplete ? "at least " : "")"
                + "\(WatchStatementText.calls(statement)), "
                + "\(isEstimate)\(HumanUnits.rate(statement.callsPerSecond))",
        ]
        if statement.timed > 0 {
            let times: [(String, Double?)] = [
                ("p50", statement.p50), ("p99", statement.p99), ("total", statement.seconds),
            ]
            facts.append(
                "times: mean \(WatchStatementText.mean(statement))"
                    + times.compactMap { name, value in
                        value.map { ", \(name) \(HumanUnits.duration(seconds: $0))" }
                    }.joined()
            )
        }
        if let rows = statement.rows {
            let each = rows / Double(max(statement.calls, 1))
            facts.append(
                "rows: \(HumanUnits.count(UInt64(bounded: rows))), "
                    + "\(WatchLabels.decimal(each)) per execution"
            )
        }
        if statement.waited > 0 {
            facts.append("waited for locks: \(HumanUnits.duration(seconds: statement.waited))")
        }
        facts += failures(statement)
        if let repeated = statement.repeated {
            facts.append(
                "repeated: \(HumanUnits.exact(repeated.calls)) times in "
                    + "\(HumanUnits.exact(repeated.runs, "run")) after \(repeated.after)"
            )
        }
        return facts
    }

    private func failures(_ statement: WatchedStatement) -> [String] {
        var facts = (statement.failures ?? []).map { failure in
            let share = Double(failure.count) / Double(max(statement.calls, 1))
            return "failed with \(failure.code): \(HumanUnits.exact(failure.count)) "
                + "(\(HumanUnits.percent(share)))"
        }
        if facts.isEmpty, statement.busy > 0 {
            facts.append("failed with SQLITE_BUSY: \(HumanUnits.exact(statement.busy))")
        }
        if let upgrades = statement.upgrades, upgrades > 0 {
            let after = statement.upgradeAfter.map { ", first with \($0)" } ?? ""
            facts.append(
                "of these, at once because the transaction had read\(after): "
                    + HumanUnits.exact(upgrades)
            )
        }
        return facts
    }

    /// What the executions of a statement waited for, as a table.
    private func waits(_ statement: WatchedStatement) -> [String] {
        let groups = (scene.report?.waits ?? []).filter { $0.longest.sql == statement.sql }
        guard !groups.isEmpty else { return [] }
        var rows = [["waits", "total", "longest", "result", "for", "its last statement"]]
        for group in groups {
            let longest = group.longest
            rows.append([
                HumanUnits.exact(group.count), HumanUnits.duration(seconds: group.seconds),
                HumanUnits.duration(seconds: longest.seconds), longest.failed ? "BUSY" : "ok",
                longest.holderText, longest.by?.sql ?? "",
            ])
        }
        return [""] + WatchText.table(rows)
    }
}

extension WatchedCounters {
    fileprivate var scannedPerRun: Double { Double(fullScanSteps) / Double(max(runs, 1)) }

    /// The counters in words.
    fileprivate var lines: [String] {
        var counts = [
            "\(WatchLabels.decimal(scannedPerRun)) rows scanned per execution",
            HumanUnits.exact(sorts, "sort"),
            HumanUnits.exact(automaticIndexRows, "row") + " in automatic indexes",
            HumanUnits.exact(preparations, "preparation"),
            HumanUnits.exact(repreparations, "repreparation"),
        ]
        if let hits = filterHits {
            counts.append(HumanUnits.exact(hits, "row") + " excluded by Bloom filters")
        }
        return [
            "in \(HumanUnits.exact(runs, "counted execution")): " + counts.joined(separator: ", ")
        ]
    }
}
