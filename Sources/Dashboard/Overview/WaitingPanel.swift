import Telemetry
import TerminalUI

/// Who waits, readers and writers apart, and how much of the time anybody had to.
struct WaitingPanel {
    let history: History
    let seconds: Double

    /// The columns that the panel takes, its border included.
    static let track = Track(minimum: 38, ideal: 42, maximum: 52, priority: 5, flex: 0)

    /// Draws the panel.
    func draw(on canvas: inout Canvas, in rect: Rect) {
        let inner = Panel(title: "Waiting", remark: "meters: last 10 s").draw(on: &canvas, in: rect)
        guard let database = history.latest?.database else { return }
        let moments = history.moments
        let count = Sparkline.points(in: max(0, inner.width - 20), glyphs: canvas.glyphs)
        let bins = TimeBins(history, seconds: seconds, count: count)
        var rows = (0..<inner.height).map { inner.row($0) }.makeIterator()
        func next() -> Rect { rows.next() ?? Rect(x: 0, y: 0, width: 0, height: 0) }
        drawCount(
            "reads",
            database.waitingReaders,
            series: bins.values(.maximum) { moments[$0].waitingReaders },
            on: &canvas,
            in: next()
        )
        drawOldest(database.waitingReaders, on: &canvas, in: next())
        drawCount(
            "writes",
            database.waitingWriters,
            series: bins.values(.maximum) { moments[$0].waitingWriters },
            on: &canvas,
            in: next()
        )
        drawOldest(database.waitingWriters, on: &canvas, in: next())
        let isQueue = database.readers == nil
        let limit = Double(database.readers?.maximum ?? 1)
        let inUse = history.mean(over: Verdict.seconds) { $0.inUse / max(limit, 1) }
        let saturation = history.mean(over: Verdict.seconds, \.saturation)
        drawMeter(isQueue ? "in use" : "readers in use", inUse, on: &canvas, in: next())
        drawMeter(isQueue ? "saturated" : "pool saturated", saturation, on: &canvas, in: next())
        if inner.height >= 10 { _ = next() }
        AccessTimes(database: database).draw(on: &canvas, rows: [next(), next(), next()])
    }

    /// `reads       6  ▁▂▃`.
    private func drawCount(
        _ name: String,
        _ waiters: [WaiterStatus],
        series: [Double],
        on canvas: inout Canvas,
        in row: Rect
    ) {
        guard !row.isEmpty else { return }
        let theme = canvas.theme
        let style = waiters.isEmpty ? theme.style(.dim) : theme.bold(.waiting)
        canvas.write("\(name) waiting", x: row.minX, y: row.minY, style: theme.style(.text))
        let number = Rect(x: row.minX + 14, y: row.minY, width: 5, height: 1)
        let count = HumanUnits.count(UInt64(waiters.count))
        canvas.write(count, in: number, style: style, alignment: .trailing)
        let strip = Rect(x: row.minX + 20, y: row.minY, width: row.width - 20, height: 1)
        Sparkline(values: series, gradient: .waiting).draw(on: &canvas, in: strip)
    }

    /// `  oldest  ui  12.3 ms`.
    private func drawOldest(_ waiters: [WaiterStatus], on canvas: inout Canvas, in row: Rect) {
        let theme = canvas.theme
        guard !row.isEmpty else { return }
        guard let oldest = waiters.max(by: { $0.waitedNanoseconds < $1.waitedNanoseconds }) else {
            canvas.write("  nobody", in: row, style: theme.style(.dim), alignment: .leading)
            return
        }
        let age = HumanUnits.duration(nanoseconds: oldest.waitedNanoseconds)
        let ageWidth = HumanUnits.durationWidth
        canvas.write("  oldest", x: row.minX, y: row.minY, style: theme.style(.dim))
        let number = Rect(x: row.minX + 12, y: row.minY, width: ageWidth, height: 1)
        canvas.write(age, in: number, style: theme.bold(.waiting), alignment: .trailing)
        canvas.write(
            oldest.origin.name + (oldest.isAsync ? ", a task" : ""),
            x: row.minX + 20,
            y: row.minY,
            style: theme.style(.text),
            limit: row.width - 20
        )
    }

    private func drawMeter(_ name: String, _ share: Double?, on canvas: inout Canvas, in row: Rect)
    {
        guard !row.isEmpty else { return }
        let theme = canvas.theme
        canvas.write(name, x: row.minX, y: row.minY, style: theme.style(.text))
        let number = Rect(x: row.minX + 15, y: row.minY, width: 5, height: 1)
        let text = share.map(HumanUnits.percent) ?? "–"
        canvas.write(text, in: number, style: theme.bold(.text), alignment: .trailing)
        let bar = Rect(x: row.minX + 21, y: row.minY, width: row.width - 21, height: 1)
        Meter(share: share ?? 0).draw(on: &canvas, in: bar)
    }
}
