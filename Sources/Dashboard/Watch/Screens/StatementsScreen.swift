import SQLiteWatch
import TerminalUI

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
            Listing.Column(
                "calls",
                .fixed(9, priority: 19),
                alignment: .trailing,
                rank: { .number(Double($0.calls)) }
            ) { Span(($0.isIncomplete ? ">" : "") + HumanUnits.count($0.calls), $1.style(.text)) },
            Listing.Column(
                "calls/s",
                .fixed(9, priority: 18),
                alignment: .trailing,
                rank: { .number($0.callsPerSecond) }
            ) { Span(WatchWords.decimal($0.callsPerSecond), $1.style(.text)) },
            Listing.Column(
                "busy",
                .fixed(7, priority: 17),
                alignment: .trailing,
                rank: { .number(Double($0.busy)) }
            ) { Span($0.busy == 0 ? "" : HumanUnits.count($0.busy), $1.style(.warning)) },
            Listing.Column(
                "waited",
                .fixed(9, priority: 16),
                alignment: .trailing,
                rank: { .number($0.waited) }
            ) { Span($0.waited == 0 ? "" : WatchWords.duration($0.waited), $1.style(.locked)) },
            Listing.Column(
                "rows",
                .fixed(9, priority: 8),
                alignment: .trailing,
                rank: { .number($0.rows ?? 0) }
            ) { Span($0.rows.map { HumanUnits.count(UInt64(max(0, $0))) } ?? "", $1.style(.dim)) },
            Listing.Column(
                "mean",
                .fixed(9, priority: 15),
                alignment: .trailing,
                rank: { .number($0.mean ?? 0) }
            ) { Span($0.mean.map(WatchWords.duration) ?? "", $1.style(.text)) },
            Listing.Column(
                "p50",
                .fixed(9, priority: 9),
                alignment: .trailing,
                rank: { .number($0.p50 ?? 0) }
            ) { Span($0.p50.map(WatchWords.duration) ?? "", $1.style(.dim)) },
            Listing.Column(
                "p99",
                .fixed(9, priority: 12),
                alignment: .trailing,
                rank: { .number($0.p99 ?? 0) }
            ) { Span($0.p99.map(WatchWords.duration) ?? "", $1.style(.text)) },
            Listing.Column(
                "total",
                .fixed(9, priority: 14),
                alignment: .trailing,
                rank: { .number($0.seconds ?? 0) }
            ) { Span($0.seconds.map(WatchWords.duration) ?? "", $1.bold(.text)) },
            Listing.Column(
                "pids",
                .fixed(7, priority: 10),
                alignment: .trailing,
                rank: { .number(Double($0.pids.count)) }
            ) {
                Span(
                    $0.pids.count == 1 ? String($0.pids[0]) : "x\($0.pids.count)",
                    $1.style(.dim)
                )
            },
        ],
        name: \.sql
    )

    private var statements: [WatchedStatement] {
        Self.listing.arranged(scene.report?.statements ?? [], scene.view)
    }

    var rowNames: [String] { statements.map(\.sql) }

    func copyText(of row: String) -> String? { row }

    func draw(on canvas: inout Canvas, in rect: Rect) {
        if scene.view.isExpanded, let selected = scene.view.selected,
            let statement = statements.first(where: { $0.sql == selected })
        {
            return draw(statement, on: &canvas, in: rect)
        }
        let all = scene.report?.statements?.count ?? 0
        let statements = statements
        let hidden = scene.view.remark(shown: statements.count, of: all)
        let inner = Panel(
            title: "Statements",
            subtitle: scene.separator(canvas) + "since the trace started",
            remark: hidden,
            legend: [[Span(TracingLine.text(scene.report), canvas.theme.style(.dim))]]
        ).draw(on: &canvas, in: rect)
        guard !statements.isEmpty else {
            let text = all > 0 ? "no statement matches the filter" : TracingLine.empty(scene.report)
            return TracingLine.draw(text, on: &canvas, in: inner)
        }
        Self.listing.table(statements, scene.view, theme: canvas.theme, width: inner.width)
            .draw(on: &canvas, in: inner)
    }

    /// Draws the complete text of a statement and additional details.
    private func draw(_ statement: WatchedStatement, on canvas: inout Canvas, in rect: Rect) {
        let inner = Panel(title: "Statement").draw(on: &canvas, in: rect)
        var lines = TextWrapping.lines(of: statement.sql, width: inner.width)
        lines += ["", "processes: " + statement.pids.map(String.init).joined(separator: ", ")]
        if let steps = statement.steps {
            lines.append("instructions: \(WatchWords.decimal(steps)) per execution")
        }
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
