import Findings
import SQLiteWatch
import TerminalUI
import Text

/// The panel with the write-ahead log and its pin over time, or with the rollback journal.
struct WatchLogPanel {
    let history: WatchHistory
    let seconds: Double

    func draw(on canvas: inout Canvas, in rect: Rect) {
        guard let report = history.report else { return }
        let isWAL = report.wal != nil
        let inner = Panel(
            title: isWAL ? "Write-ahead log" : "Rollback journal",
            remark: "last \(HumanUnits.secondsLabel(seconds))",
            legend: isWAL ? legend(canvas) : []
        ).draw(on: &canvas, in: rect)
        guard !inner.isEmpty else { return }
        let lines = description(report, on: canvas).flatMap {
            canvas.rows(of: $0, width: inner.width)
        }
        .prefix(max(1, inner.height / 3))
        for (index, line) in lines.enumerated() {
            canvas.write(line, x: inner.minX, y: inner.minY + index, limit: inner.width)
        }
        let areas = inner.rows([lines.count, inner.height - lines.count])
        drawChart(isWAL: isWAL, on: &canvas, in: areas[1])
    }

    func drawLine(on canvas: inout Canvas, in row: Rect) {
        guard let report = history.report, let pieces = description(report, on: canvas).first else {
            return
        }
        let title = report.wal == nil ? "journal " : "log "
        let line = canvas.rows(of: pieces, width: row.width - title.count).first ?? []
        let spans = [Span(title, canvas.theme.style(.dim))] + line
        canvas.write(spans, x: row.minX, y: row.minY, limit: row.width)
    }

    private func legend(_ canvas: Canvas) -> [[Span]] {
        let dim = canvas.theme.style(.dim)
        let isASCII = canvas.glyphs == .ascii
        return [
            [
                Span(isASCII ? ":" : "▒", canvas.theme.style(.waiting, at: 0.5)),
                Span(" pinned", dim),
            ],
            [
                Span(isASCII ? "#" : "█", canvas.theme.style(.throughput, at: 1)),
                Span(" other frames in use", dim),
            ],
        ]
    }

    /// Returns the description of the log as lines of pieces, most important line first.
    private func description(_ report: WatchReport, on canvas: Canvas) -> [[[Span]]] {
        let theme = canvas.theme
        let (dim, text, bold) = (theme.style(.dim), theme.style(.text), theme.bold(.text))
        guard let wal = report.wal else {
            return rollbackDescription(report, theme: theme).map { [$0] }
        }
        func count(_ number: UInt64, _ noun: String, _ style: Style) -> [Span] {
            [Span(HumanUnits.count(number), style), Span(" \(noun)", dim)]
        }
        var first = [[Span(HumanUnits.bytes(wal.bytes), bold)]]
        if let frames = wal.frames, let backfilled = wal.backfilled {
            first += [
                count(frames, "frames in use", text), count(backfilled, "checkpointed", text),
            ]
            if let pinned = wal.pinned {
                first.append(count(pinned, "pinned", pinned > 0 ? theme.bold(.warning) : text))
            } else {
                first.append([Span("pinned: unknown", dim)])
            }
        } else {
            let isUsed = !report.processes.isEmpty
            first.append([
                Span(isUsed ? "no wal-index" : "no wal-index: no process uses it", dim)
            ])
        }
        var second = [[Span("not pinned", theme.style(.ok))]]
        if let pin = report.pins.first {
            let sign = canvas.glyphs == .ascii ? ">=" : "≥"
            let warning = theme.style(.warning)
            second = [
                [
                    Span("▲ pinned by ", warning),
                    Span("\(pin.name) (\(pin.pid))", theme.bold(.warning)),
                ],
                [Span("\(sign) \(WatchLabels.duration(pin.seconds))", warning)],
                [Span(HumanUnits.bytes(pin.bytes), warning)], [Span("mark \(pin.mark)", warning)],
            ]
        }
        let (resets, checkpoints) = counts
        guard wal.commits != nil else {
            return [first, second, [[Span("commits and checkpoints are unknown", dim)]]]
        }
        let third = [
            [Span(HumanUnits.rate(history.rate(\.commits)), text), Span(" commits", dim)],
            [Span(HumanUnits.rate(history.rate(\.framesWritten)), text), Span(" frames", dim)],
            count(checkpoints, checkpoints == 1 ? "checkpoint" : "checkpoints", text),
            count(resets, resets == 1 ? "reset" : "resets", text),
        ]
        return [first, second, third]
    }

    /// The numbers of resets and checkpoints during the displayed window.
    private var counts: (resets: UInt64, checkpoints: UInt64) {
        func sum(_ value: (WatchMoment) -> Double) -> UInt64 {
            UInt64(min(max(history.sum(over: seconds, value).0, 0), 1e15))
        }
        return (sum(\.resets), sum(\.checkpoints))
    }

    private func rollbackDescription(_ report: WatchReport, theme: Theme) -> [[Span]] {
        let dim = theme.style(.dim)
        guard let rollback = report.rollback else {
            return [[Span(report.file.problem ?? WatchLabels.mode(report.file), dim)]]
        }
        let first = [
            rollback.transactions == nil
                ? Span("unknown", theme.style(.text))
                : Span(HumanUnits.rate(history.rate(\.commits)), theme.bold(.text)),
            Span(" transactions", dim),
        ]
        guard let bytes = rollback.journalBytes else {
            return [first, [Span("no journal", theme.style(.ok))]]
        }
        let hot = rollback.isHot ? "▲ hot journal " : "journal "
        let style = theme.style(rollback.isHot ? .warning : .text)
        return [first, [Span(hot + HumanUnits.bytes(bytes), style)]]
    }

    private func drawChart(isWAL: Bool, on canvas: inout Canvas, in rect: Rect) {
        guard rect.height >= 2, rect.width > TimeChart.axisWidth + 4 else { return }
        let moments = history.moments
        let count = TimeChart.points(in: rect.width, glyphs: canvas.glyphs)
        let bins = TimeBins(history, seconds: seconds, count: count)
        let layers: [(values: [Double], gradient: GradientRole, isShaded: Bool)]
        if isWAL {
            let pinned = bins.values(.mean) { moments[$0].pinnedFrames }
            let frames = bins.values(.mean) { moments[$0].frames }
            let otherFrames = zip(frames, pinned).map { max(0, $0 - ($1.isFinite ? $1 : 0)) }
            layers = [(pinned, .waiting, true), (otherFrames, .throughput, false)]
        } else {
            let rates = bins.values(.mean) { position in
                moments[position].seconds > 0
                    ? moments[position].commits / moments[position].seconds : .nan
            }
            layers = [(rates, .throughput, false)]
        }
        let sums = (0..<count).map { position in
            layers.reduce(0.0) { $0 + ($1.values[position].isFinite ? $1.values[position] : 0) }
        }
        let peak = sums.reduce(1) { $1.isFinite ? max($0, $1) : $0 }
        let maximum = TimeChart.niceMaximum(above: peak)
        TimeChart(
            layers: layers.map {
                TimeChart.Layer(
                    values: $0.values,
                    gradient: $0.gradient,
                    range: 0...maximum,
                    isShaded: $0.isShaded
                )
            },
            maximum: maximum,
            seconds: seconds,
            end: history.endLabel(seconds)
        ).draw(on: &canvas, in: rect)
        history.markTime(seconds, on: &canvas, in: TimeChart.plot(in: rect))
    }
}
