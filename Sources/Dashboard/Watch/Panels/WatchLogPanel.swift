import SQLiteWatch
import TerminalUI

/// The write-ahead log and its pin over time, or the rollback journal.
struct WatchLogPanel {
    let history: WatchHistory
    let seconds: Double

    /// Draws the panel.
    func draw(on canvas: inout Canvas, in rect: Rect) {
        guard let report = history.report else { return }
        let isWAL = report.wal != nil
        let inner = Panel(
            title: isWAL ? "Write-ahead log" : "Rollback journal",
            remark: "last \(HumanUnits.secondsLabel(seconds))",
            legend: isWAL ? legend(canvas) : []
        ).draw(on: &canvas, in: rect)
        guard !inner.isEmpty else { return }
        let lines = Array(words(report, canvas).prefix(max(1, min(3, inner.height - 3))))
        for (index, line) in lines.enumerated() {
            canvas.write(line, x: inner.minX, y: inner.minY + index, limit: inner.width)
        }
        let areas = inner.rows([lines.count, inner.height - lines.count])
        drawChart(isWAL: isWAL, on: &canvas, in: areas[1])
    }

    /// Draws the most important numbers in one row.
    func drawLine(on canvas: inout Canvas, in row: Rect) {
        guard let report = history.report, let line = words(report, canvas).first else { return }
        let title = Span(report.wal == nil ? "journal " : "log ", canvas.theme.style(.dim))
        canvas.write([title] + line, x: row.minX, y: row.minY, limit: row.width)
    }

    private func legend(_ canvas: Canvas) -> [[Span]] {
        let dim = canvas.theme.style(.dim)
        let isASCII = canvas.glyphs == .ascii
        return [
            [
                Span(isASCII ? ":" : "▒", canvas.theme.style(.snapshot)),
                Span(" pinned frames", dim),
            ],
            [
                Span(isASCII ? "#" : "█", canvas.theme.style(.ok)),
                Span(" other frames in use", dim),
            ],
        ]
    }

    /// What the log is like, the most important line first.
    func words(_ report: WatchReport, _ canvas: Canvas) -> [[Span]] {
        let theme = canvas.theme
        let (dim, text, bold) = (theme.style(.dim), theme.style(.text), theme.bold(.text))
        guard let wal = report.wal else { return rollbackWords(report, theme) }
        var first = [Span(HumanUnits.bytes(wal.bytes), bold)]
        if let frames = wal.frames, let backfilled = wal.backfilled {
            first += [
                Span("  \(HumanUnits.count(frames))", text), Span(" frames in use, ", dim),
                Span(HumanUnits.count(backfilled), text), Span(" backfilled, ", dim),
                Span(
                    HumanUnits.count(wal.pinned ?? 0),
                    (wal.pinned ?? 0) > 0 ? theme.bold(.warning) : text
                ),
                Span(" pinned", dim),
            ]
        } else {
            first.append(Span("  no wal-index: no process uses it", dim))
        }
        var second = [Span("nothing pins it", theme.style(.ok))]
        if let pin = report.pins.first {
            let sign = canvas.glyphs == .ascii ? ">=" : "≥"
            second = [
                Span("▲ pinned by ", theme.style(.warning)),
                Span("\(pin.name) (\(pin.pid))", theme.bold(.warning)),
                Span(
                    ", mark \(pin.mark), \(sign) \(WatchWords.duration(pin.seconds)), "
                        + HumanUnits.bytes(pin.bytes),
                    theme.style(.warning)
                ),
            ]
        }
        let (resets, checkpoints) = counts
        let third = [
            Span(HumanUnits.rate(history.rate(\.commits)), text), Span(" commits, ", dim),
            Span(HumanUnits.rate(history.rate(\.framesWritten)), text), Span(" frames, ", dim),
            Span("\(checkpoints)", text), Span(" checkpoints, ", dim),
            Span("\(resets)", text), Span(" resets", dim),
        ]
        return [first, second, third]
    }

    /// The resets and the checkpoints of the time that is shown.
    private var counts: (resets: Int, checkpoints: Int) {
        let resets = history.sum(over: seconds) { $0.resets }.0
        return (Int(resets), Int(history.sum(over: seconds) { $0.checkpoints }.0))
    }

    private func rollbackWords(_ report: WatchReport, _ theme: Theme) -> [[Span]] {
        let dim = theme.style(.dim)
        guard let rollback = report.rollback else {
            return [[Span(report.file.problem ?? WatchWords.mode(report.file), dim)]]
        }
        let first = [
            Span(HumanUnits.rate(history.rate(\.commits)), theme.bold(.text)),
            Span(" transactions", dim),
        ]
        guard let bytes = rollback.journalBytes else {
            return [first, [Span("no journal now", theme.style(.ok))]]
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
            let pinned = bins.values(.mean) { moments[$0].pinned }
            let frames = bins.values(.mean) { moments[$0].frames }
            let rest = zip(frames, pinned).map { max(0, $0 - ($1.isFinite ? $1 : 0)) }
            layers = [(pinned, .waiting, true), (rest, .throughput, false)]
        } else {
            let rates = bins.values(.mean) { place in
                moments[place].seconds > 0 ? moments[place].commits / moments[place].seconds : .nan
            }
            layers = [(rates, .throughput, false)]
        }
        let sums = (0..<count).map { place in
            layers.reduce(0.0) { $0 + ($1.values[place].isFinite ? $1.values[place] : 0) }
        }
        let maximum = TimeChart.niceMaximum(above: max(sums.max() ?? 0, 1))
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
        history.markTime(seconds, on: &canvas, TimeChart.plot(in: rect))
    }
}
