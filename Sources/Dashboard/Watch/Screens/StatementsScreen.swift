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
            .number("calls", 9, priority: 19, { Double($0.calls) }) {
                Span(($0.isIncomplete ? ">" : "") + HumanUnits.count($0.calls), $1.style(.text))
            },
            .number("calls/s", 9, priority: 18, \.callsPerSecond) {
                Span(
                    ($0.isSampled == true ? "≈" : "") + WatchLabels.decimal($0.callsPerSecond),
                    $1.style(.text)
                )
            },
            .number("busy", 7, priority: 17, { Double($0.busy) }) {
                Span($0.busy == 0 ? "" : HumanUnits.count($0.busy), $1.style(.warning))
            },
            .number("failed", 7, priority: 11, { Double($0.failed) }) {
                Span($0.failed == 0 ? "" : HumanUnits.count($0.failed), $1.style(.warning))
            },
            .number("waited", 9, priority: 16, \.waited) {
                Span($0.waited == 0 ? "" : WatchLabels.duration($0.waited), $1.style(.locked))
            },
            .number("rows", 9, priority: 8, { $0.rows ?? 0 }) {
                Span($0.rows.map { HumanUnits.count(UInt64(max(0, $0))) } ?? "", $1.style(.dim))
            },
            .number("mean", 9, priority: 15, { $0.mean ?? 0 }) {
                Span($0.mean.map(WatchLabels.duration) ?? "", $1.style(.text))
            },
            .number("p50", 9, priority: 9, { $0.p50 ?? 0 }) {
                Span($0.p50.map(WatchLabels.duration) ?? "", $1.style(.dim))
            },
            .number("p99", 9, priority: 12, { $0.p99 ?? 0 }) {
                Span($0.p99.map(WatchLabels.duration) ?? "", $1.style(.text))
            },
            .number("total", 9, priority: 14, { $0.seconds ?? 0 }) {
                Span($0.seconds.map(WatchLabels.duration) ?? "", $1.bold(.text))
            },
            .number("scanned", 9, priority: 7, { Double($0.counters?.scannedPerRun ?? 0) }) {
                Span(
                    $0.counters.map { WatchLabels.decimal($0.scannedPerRun) } ?? "",
                    $1.style(.dim)
                )
            },
            .number("pids", 7, priority: 10, { Double($0.pids.count) }) {
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
        listing.arranged(scene.report?.statements ?? [], scene.view)
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
            scene.view,
            in: scene.tracingPanel("Statements", "since the trace started", canvas.theme),
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
        lines += ["", "processes: " + statement.pids.map(String.init).joined(separator: ", ")]
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
        if let plan = statement.plan {
            lines += ["", "plan, in an empty database with the same schema:"]
            lines += plan.map { "  " + $0 }
        }
        for (index, line) in lines.prefix(inner.height).enumerated() {
            let style = canvas.theme.style(.text)
            canvas.write(line, in: inner.row(index), style: style, alignment: .leading)
        }
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
