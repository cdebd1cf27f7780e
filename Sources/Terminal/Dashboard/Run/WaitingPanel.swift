import Telemetry
import TerminalUI
import Text

/// The panel with waiting accesses and the share of time with waiters.
struct WaitingPanel {
    let history: History
    let seconds: Double
    /// The key of the screen with the blockers, if any.
    let detailsKey: String?

    /// The width, including the border.
    static let track = Track(minimum: 38, ideal: 42, maximum: 52, priority: 5, flex: 0)

    func draw(on canvas: inout Canvas, in rect: Rect) {
        let isOver = history.isOver
        let inner = Panel(
            title: "Waiting",
            remark: isOver ? "over the whole run" : "meters: last 10 s",
            legend: hint(theme: canvas.theme)
        ).draw(on: &canvas, in: rect)
        guard let database = history.displayedSample?.database else { return }
        let moments = history.moments
        let count = Sparkline.points(in: max(0, inner.width - 20), glyphs: canvas.glyphs)
        let bins = TimeBins(history, seconds: seconds, count: count)
        var rows = (0..<inner.height).map { inner.row($0) }.makeIterator()
        func next() -> Rect { rows.next() ?? Rect(x: 0, y: 0, width: 0, height: 0) }
        drawCount(
            "reads",
            waiters: isOver ? history.peaks.accesses.waitingReaders : database.waitingReaders.count,
            series: bins.values(.maximum) { moments[$0].waitingReaders },
            on: &canvas,
            in: next()
        )
        drawOldest(
            database.waitingReaders,
            longest: history.peaks.longestReader,
            hasWaits: history.peaks.accesses.waitingReaders > 0,
            on: &canvas,
            in: next()
        )
        drawCount(
            "writes",
            waiters: isOver ? history.peaks.accesses.waitingWriters : database.waitingWriters.count,
            series: bins.values(.maximum) { moments[$0].waitingWriters },
            on: &canvas,
            in: next()
        )
        drawOldest(
            database.waitingWriters,
            longest: history.peaks.longestWriter,
            hasWaits: history.peaks.accesses.waitingWriters > 0,
            on: &canvas,
            in: next()
        )
        let isQueue = database.readers == nil
        let limit = Double(database.readers?.maximum ?? 1)
        let span = isOver ? Double.greatestFiniteMagnitude : Verdict.seconds
        let inUse = history.inUse(over: span).map { $0 / max(limit, 1) }
        let saturation = history.saturation(over: span)
        drawMeter(isQueue ? "in use" : "readers in use", share: inUse, on: &canvas, in: next())
        drawMeter(
            isQueue ? "saturated" : "pool saturated",
            share: saturation,
            on: &canvas,
            in: next()
        )
        if inner.height >= 10 { _ = next() }
        AccessTimesTable(database: database).draw(on: &canvas, rows: [next(), next(), next()])
    }

    private func hint(theme: Theme) -> [[Span]] {
        guard let detailsKey, let database = history.displayedSample?.database,
            database.waitingReaders.count + database.waitingWriters.count > 0
        else { return [] }
        return [
            [
                Span("press ", theme.style(.dim)), Span(detailsKey, theme.bold(.accent)),
                Span(" to see the holders", theme.style(.dim)),
            ]
        ]
    }

    /// Draws a row such as `reads waiting  6  ▁▂▃`, or the maximum after the run.
    private func drawCount(
        _ name: String,
        waiters: Int,
        series: [Double],
        on canvas: inout Canvas,
        in row: Rect
    ) {
        guard !row.isEmpty else { return }
        let theme = canvas.theme
        let style = waiters == 0 ? theme.style(.dim) : theme.bold(.waiting)
        let title = history.isOver ? "peak \(name)" : "\(name) waiting"
        canvas.write(title, x: row.minX, y: row.minY, style: theme.style(.text))
        let number = Rect(x: row.minX + 14, y: row.minY, width: 5, height: 1)
        let count = history.hidesWaits ? "–" : HumanUnits.count(UInt64(waiters))
        canvas.write(count, in: number, style: style, alignment: .trailing)
        let strip = Rect(x: row.minX + 20, y: row.minY, width: row.width - 20, height: 1)
        Sparkline(values: series, gradient: .waiting).draw(on: &canvas, in: strip)
    }

    /// Draws a row such as `oldest  12.3 ms  ui, waiting since 30.9 s`.
    ///
    /// The start time distinguishes a waiter from an earlier waiter of the same age. If the time
    /// does not fit, the row is drawn without the space before the age.
    ///
    /// After the run, the row shows the longest observed wait. If accesses waited only between
    /// samples, the row states that no wait was observed.
    private func drawOldest(
        _ waiters: [WaiterStatus],
        longest: WaiterStatus?,
        hasWaits: Bool,
        on canvas: inout Canvas,
        in row: Rect
    ) {
        let theme = canvas.theme
        guard !row.isEmpty else { return }
        let isOver = history.isOver
        let current = waiters.max { $0.waitedNanoseconds < $1.waitedNanoseconds }
        guard let oldest = isOver ? longest : current else {
            let text =
                history.hidesWaits
                ? "  unknown" : isOver && hasWaits ? "  none observed" : "  none"
            canvas.write(text, in: row, style: theme.style(.dim), alignment: .leading)
            return
        }
        let age = HumanUnits.duration(nanoseconds: oldest.waitedNanoseconds)
        let ageWidth = HumanUnits.durationWidth
        canvas.write(
            isOver ? "  longest" : "  oldest",
            x: row.minX,
            y: row.minY,
            style: theme.style(.dim)
        )
        let name = oldest.origin.name
        let startText = HumanUnits.seconds(history.start(of: oldest))
        let fullName = name + (oldest.isAsync ? ", a task" : "")
        let texts =
            isOver
            ? [fullName]
            : [
                "\(fullName), waiting since \(startText)", "\(name), waiting since \(startText)",
                "\(name) since \(startText)",
            ]
        func fittingText(in room: Int) -> String? { texts.first { canvas.width(of: $0) <= room } }
        let isNarrow =
            !isOver && fittingText(in: row.width - 20) == nil
            && fittingText(in: row.width - 17) != nil
        let start = isNarrow ? 9 : 12
        let number = Rect(x: row.minX + start, y: row.minY, width: ageWidth, height: 1)
        canvas.write(age, in: number, style: theme.bold(.waiting), alignment: .trailing)
        let room = row.width - start - 8
        canvas.write(
            fittingText(in: room) ?? name,
            x: row.minX + start + 8,
            y: row.minY,
            style: theme.style(.text),
            limit: room
        )
    }

    private func drawMeter(_ name: String, share: Double?, on canvas: inout Canvas, in row: Rect) {
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

/// A small table with percentiles of wait and hold times.
struct AccessTimesTable {
    let database: DatabaseStatus

    /// The rows, with separate rows for reads and writes in a pool.
    var summaries: [(name: String, summary: LatencySummary)] {
        let isPool = database.readers != nil
        let all: [(String, LatencySummary?)] = [
            (isPool ? "reads wait" : "wait", database.acquire),
            (isPool ? "reads hold" : "hold", database.hold),
            ("writes wait", database.writerAcquire),
            ("writes hold", database.writerHold),
        ]
        return all.compactMap { name, summary in summary.map { (name, $0) } }
    }

    func draw(on canvas: inout Canvas, rows: [Rect]) {
        guard let header = rows.first, !header.isEmpty, !summaries.isEmpty else { return }
        let dim = canvas.theme.style(.dim)
        // If only the rows for reads fit, omit the word "reads" from their names.
        let isShort = rows.count <= 3
        let nameWidth = isShort ? 6 : 12
        let isNarrow = (header.width - nameWidth) / 4 <= HumanUnits.durationWidth
        let names = isNarrow ? ["p50", "p99", "max"] : ["p50", "p95", "p99", "max"]
        let cellWidth = min((header.width - nameWidth) / names.count, 12)
        guard cellWidth > HumanUnits.durationWidth else { return }
        func area(_ index: Int, row: Rect) -> Rect {
            Rect(
                x: row.minX + nameWidth + index * cellWidth,
                y: row.minY,
                width: cellWidth,
                height: 1
            )
        }
        guard rows.count > 1, !rows[1].isEmpty else { return }
        for (index, name) in names.enumerated() {
            canvas.write(name, in: area(index, row: header), style: dim, alignment: .trailing)
        }
        for (row, entry) in zip(rows.dropFirst(), summaries) where !row.isEmpty {
            let short = entry.name.split(separator: " ").last.map(String.init) ?? entry.name
            let name = isShort ? short : entry.name
            canvas.write(name, x: row.minX, y: row.minY, style: canvas.theme.style(.text))
            let summary = entry.summary
            let values =
                isNarrow
                ? [summary.p50, summary.p99, summary.max]
                : [summary.p50, summary.p95, summary.p99, summary.max]
            for (index, value) in values.enumerated() {
                let text = value.map(HumanUnits.duration) ?? "–"
                let style = value == nil ? dim : canvas.theme.style(.text)
                canvas.write(text, in: area(index, row: row), style: style, alignment: .trailing)
            }
        }
    }
}
