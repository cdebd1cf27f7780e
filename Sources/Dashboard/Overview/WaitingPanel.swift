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
        let isRoomy = inner.height >= 8
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
        if isRoomy { _ = next() }
        let isQueue = database.readers == nil
        let limit = Double(database.readers?.maximum ?? 1)
        let inUse = history.mean(over: Verdict.seconds) { $0.inUse / max(limit, 1) }
        let saturation = history.mean(over: Verdict.seconds, \.saturation)
        drawMeter(isQueue ? "in use" : "readers in use", inUse, on: &canvas, in: next())
        drawMeter(isQueue ? "saturated" : "pool saturated", saturation, on: &canvas, in: next())
        if inner.height >= 10 { _ = next() }
        drawLatency("wait", database.acquire, on: &canvas, in: next())
        drawLatency("hold", database.hold, on: &canvas, in: next())
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
        let number = Rect(x: row.minX + 14, y: row.minY, width: 5, height: 1)
        let text = share.map(HumanUnits.percent) ?? "–"
        canvas.write(text, in: number, style: theme.bold(.text), alignment: .trailing)
        let bar = Rect(x: row.minX + 20, y: row.minY, width: row.width - 20, height: 1)
        Meter(share: share ?? 0).draw(on: &canvas, in: bar)
    }

    private func drawLatency(
        _ name: String,
        _ summary: LatencySummary?,
        on canvas: inout Canvas,
        in row: Rect
    ) {
        guard !row.isEmpty, let summary else { return }
        let theme = canvas.theme
        let isWide = row.width >= 38
        let words = isWide ? "accesses \(name)" : name
        canvas.write(words, x: row.minX, y: row.minY, style: theme.style(.text))
        let dim = theme.style(.dim)
        let start = row.minX + (isWide ? 14 : 6)
        for (offset, label, value) in [(0, "p50", summary.p50), (13, "p99", summary.p99)] {
            canvas.write(label, x: start + offset, y: row.minY, style: dim)
            let cell = Rect(
                x: start + offset + 4,
                y: row.minY,
                width: HumanUnits.durationWidth,
                height: 1
            )
            let text = value.map(HumanUnits.duration) ?? "–"
            canvas.write(text, in: cell, style: theme.style(.text), alignment: .trailing)
        }
    }
}
