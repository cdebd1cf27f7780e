import SQLiteWatch
import TerminalUI
import Text

/// The panel with written tables and indexes, and their shares of the frames.
struct WatchTablesPanel {
    let history: WatchHistory

    func draw(on canvas: inout Canvas, in rect: Rect) {
        let inner = Panel(
            title: "Tables written",
            remark: remark
        ).draw(on: &canvas, in: rect)
        guard !inner.isEmpty else { return }
        let tables = history.tables
        guard !tables.isEmpty else {
            canvas.write(
                history.report?.wal == nil ? "available only in WAL mode" : "no frames yet",
                in: inner.row(0),
                style: canvas.theme.style(.dim),
                alignment: .leading
            )
            return
        }
        let isTruncated = tables.count > inner.height
        let shown = tables.prefix(isTruncated ? max(1, inner.height - 1) : inner.height)
        let widths = Track.lengths(
            of: [
                Track(minimum: 8, ideal: 20, maximum: 36, priority: 9),
                Track.fixed(8, priority: 3),
                Track.fixed(6, priority: 8),
                Track(minimum: 5, ideal: 10, priority: 4),
            ],
            available: inner.width,
            spacing: 1
        )
        for (index, table) in shown.enumerated() {
            draw(table, on: &canvas, in: inner.row(index).columns(widths, spacing: 1))
        }
        if isTruncated, inner.height > 1 {
            let text = "and \(tables.count - shown.count) more"
            let row = inner.row(inner.height - 1)
            canvas.write(text, in: row, style: canvas.theme.style(.dim), alignment: .leading)
        }
    }

    func drawLine(on canvas: inout Canvas, in row: Rect) {
        let theme = canvas.theme
        var spans = [Span("writes ", theme.style(.dim))]
        let tables = history.tables
        guard !tables.isEmpty else { return }
        for (index, table) in tables.prefix(4).enumerated() {
            if index > 0 { spans.append(Span(", ", theme.style(.dim))) }
            spans.append(Span(table.title, theme.bold(.text)))
            spans.append(Span(" \(HumanUnits.percent(table.share))", theme.style(.text)))
        }
        canvas.write(spans, x: row.minX, y: row.minY, limit: row.width)
    }

    private func draw(_ table: WrittenTable, on canvas: inout Canvas, in cells: [Rect]) {
        let theme = canvas.theme
        let name = table.kind == .unknown ? theme.style(.dim) : theme.style(.text)
        canvas.write(table.title, in: cells[0], style: name, alignment: .leading)
        if cells[1].width > 0, !table.name.isEmpty {
            let style = theme.style(.dim)
            canvas.write(table.kind.rawValue, in: cells[1], style: style, alignment: .leading)
        }
        canvas.write(
            HumanUnits.percent(table.share),
            in: cells[2],
            style: theme.bold(.text),
            alignment: .trailing
        )
        if cells[3].width > 0 {
            Meter(share: table.share, gradient: .throughput).draw(on: &canvas, in: cells[3])
        }
    }

    /// The share of the log's frames that were examined or, if almost all of them were, a note that
    /// the percentages are shares of frames.
    private var remark: String {
        guard let coverage = history.report?.tablesCoverage, coverage.readShare < 0.995 else {
            return "by share of frames"
        }
        return "\(HumanUnits.percent(coverage.readShare)) of the frames examined"
    }
}
