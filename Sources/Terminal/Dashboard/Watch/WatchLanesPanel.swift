import Findings
import SQLiteWatch
import TerminalUI
import Text

/// The panel with a lane for each process: the current and past use of the database.
struct WatchLanesPanel {
    let history: WatchHistory
    let seconds: Double
    let view: ListView

    /// The lanes in the order of the process table, followed by lanes of processes that have ended.
    var lanes: [WatchLane] {
        let rows = WatchProcessList.arranged(history.rows, view: view)
        let shown = Set(history.rows.map(\.pid))
        let lanes = history.lanes(in: seconds)
        let filter = view.filter.lowercased()
        return rows.compactMap { row in lanes.first { $0.pid == row.pid } }
            + lanes.filter { lane in
                !shown.contains(lane.pid)
                    && (filter.isEmpty || lane.label.lowercased().contains(filter))
            }
    }

    /// Returns the height, including the border.
    ///
    /// Without a process table, the lanes occupy its rows.
    func track(isShort: Bool, hasTable: Bool) -> Track {
        let count = max(lanes.count, 1)
        let maximumCount = isShort && hasTable ? 5 : 16
        return Track(
            minimum: min(count, isShort ? 3 : 8) + 2,
            ideal: min(count, maximumCount) + 2,
            maximum: min(count, maximumCount) + 2,
            priority: 90
        )
    }

    private enum Column: Int, CaseIterable {
        case name
        case state
        case heldFor
        case statement
        case history

        // `isTraced` indicates whether the processes' statements are known.
        func track(isTraced: Bool) -> Track {
            switch self {
            case .name: Track(minimum: 10, ideal: 20, maximum: 22, priority: 10, flex: 0)
            case .state: Track.fixed(14, priority: 6)
            case .heldFor: Track.fixed(10, priority: 7)
            case .statement:
                isTraced
                    ? Track(minimum: 16, ideal: 40, maximum: 60, priority: 8)
                    : .fixed(0, priority: 0)
            case .history: Track(minimum: 8, ideal: 20, priority: 9)
            }
        }
    }

    func draw(on canvas: inout Canvas, in rect: Rect) {
        let theme = canvas.theme
        let lanes = lanes
        let inner = Panel(
            title: "Processes",
            subtitle: "locks of each process over time",
            remark: "last \(HumanUnits.secondsLabel(seconds))",
            legend: WatchLaneState.legend(theme: theme, glyphs: canvas.glyphs)
        ).draw(on: &canvas, in: rect)
        guard !inner.isEmpty else { return }
        guard !lanes.isEmpty else {
            canvas.write(
                history.rows.isEmpty
                    ? "no visible process uses the database" : "no process matches the filter",
                in: inner.row(0),
                style: theme.style(.dim),
                alignment: .leading
            )
            return
        }
        let isTruncated = lanes.count > inner.height
        let shown = lanes.prefix(isTruncated ? inner.height - 1 : inner.height)
        let widths = Track.lengths(
            of: Column.allCases.map { $0.track(isTraced: history.report?.current != nil) },
            available: inner.width,
            spacing: 1
        )
        let strip = widths[Column.history.rawValue]
        let bins = TimeBins(history, seconds: seconds, count: strip)
        for (index, lane) in shown.enumerated() {
            let row = inner.row(index)
            canvas.mark(row, as: .row(lane.label))
            draw(lane, bins: bins, on: &canvas, in: row.columns(widths, spacing: 1))
            if lane.label == view.selected { canvas.select(row) }
        }
        if strip > 0 {
            let area = Rect(
                x: inner.maxX - strip,
                y: inner.minY,
                width: strip,
                height: shown.count
            )
            history.markTime(seconds, on: &canvas, in: area)
        }
        if isTruncated {
            let text = "and \(lanes.count - shown.count) more"
            let row = inner.row(inner.height - 1)
            canvas.write(text, in: row, style: theme.style(.dim), alignment: .leading)
        }
    }

    private func draw(
        _ lane: WatchLane,
        bins: TimeBins,
        on canvas: inout Canvas,
        in cells: [Rect]
    ) {
        let theme = canvas.theme
        let row = history.rows.first { $0.pid == lane.pid }
        let state = row?.state ?? .absent
        func cell(_ column: Column) -> Rect { cells[column.rawValue] }
        let name = theme.style(row == nil ? .dim : .text)
        canvas.write(lane.label, in: cell(.name), style: name, alignment: .leading)
        if cell(.state).width > 0 {
            let isQuiet = state == .idle || state == .absent
            canvas.write(
                [
                    Span(state.mark.text(in: canvas.glyphs), theme.style(state.mark.role)),
                    Span(" \(state.label)", theme.style(isQuiet ? .dim : state.mark.role)),
                ],
                x: cell(.state).minX,
                y: cell(.state).minY,
                limit: cell(.state).width
            )
        }
        if cell(.heldFor).width > 0, let lock = row?.mainLock, lock.seconds > 0 {
            let text = WatchLabels.held(lock, isASCII: canvas.glyphs == .ascii)
            let style = lock.seconds >= 1 ? theme.bold(.warning) : theme.style(.text)
            canvas.write(text, in: cell(.heldFor), style: style, alignment: .trailing)
        }
        if cell(.statement).width > 0,
            let statement = history.report?.current?.first(where: { $0.pid == lane.pid })
        {
            // Dim a statement that is no longer running.
            let isCurrent = statement.isRunning || statement.seconds < 1
            canvas.write(
                statement.sql,
                in: cell(.statement),
                style: theme.style(isCurrent ? .text : .dim),
                alignment: .leading
            )
        }
        let offset = history.moments.count - lane.points.count
        let states = bins.states(
            stateCount: WatchLaneState.allCases.count,
            seriesLength: lane.points.count,
            offset: offset
        ) { Int(lane.points[$0].state.rawValue) }
        LaneStrip(marks: WatchLaneState.marks, cells: states)
            .draw(on: &canvas, in: cell(.history))
    }
}

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

/// The first finding and, if there is room, its remedy.
struct WatchVerdictLines {
    let report: WatchReport

    /// Returns the height on a screen of the given size.
    ///
    /// The height does not depend on the text, so the rows below do not move when the text changes.
    static func track(in size: Size) -> Track {
        // On a narrow screen, the text needs one more row.
        let rows = size.height < 12 ? 1 : size.height < 20 ? 2 : size.width < 100 ? 5 : 4
        return Track(minimum: min(rows, 4), ideal: rows, maximum: max(rows, 4), priority: 99)
    }

    func draw(on canvas: inout Canvas, in rect: Rect) {
        guard !rect.isEmpty else { return }
        let (glyph, role) = mark
        let style = canvas.theme.bold(role)
        canvas.write(glyph, x: rect.minX + 1, y: rect.minY, style: style)
        let room = rect.width - 4
        var spans = TextWrapping.lines(of: text, width: room).map { Span($0, style) }
        if let remedy = report.verdict.remedy {
            let arrow = canvas.glyphs == .ascii ? "-> " : "→ "
            let lines = TextWrapping.lines(of: arrow + remedy, width: room)
            // Show the remedy only if it fits completely.
            if spans.count + lines.count <= rect.height {
                spans += lines.map { Span($0, canvas.theme.style(.text)) }
            }
        }
        for (index, span) in spans.prefix(rect.height).enumerated() {
            let isTruncated = index == rect.height - 1 && spans.count > rect.height
            // Append the next span so that the text is truncated with an ellipsis.
            let text = isTruncated ? span.text + " " + spans[index + 1].text : span.text
            canvas.write(
                text,
                x: rect.minX + 3,
                y: rect.minY + index,
                style: span.style,
                limit: room
            )
        }
    }

    private var text: String {
        let more = report.findings.count - 1
        guard more > 0 else { return report.verdict.text }
        return report.verdict.text + " (\(more) more: see Episodes)"
    }

    /// The mark, with glyphs that are also distinct in ASCII.
    private var mark: (String, Role) {
        switch report.verdict.level {
        case .nothing: ("✔", .ok)
        case .alarm: ("✖", .error)
        case .warning: ("▲", .warning)
        case .note: ("•", .text)
        }
    }
}
