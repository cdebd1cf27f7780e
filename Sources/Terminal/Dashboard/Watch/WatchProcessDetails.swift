import Findings
import SQLiteWatch
import TerminalUI
import Text

struct WatchProcessDetails {
    let row: WatchRow
    let history: WatchHistory
    let seconds: Double

    /// Draws the panel with facts, locks, episodes, the lane, and shares over time.
    func draw(on canvas: inout Canvas, in rect: Rect) {
        let theme = canvas.theme
        let inner = Panel(
            title: row.label,
            remark: "shares of the last \(HumanUnits.secondsLabel(history.coveredSeconds))",
            legend: WatchLaneState.legend(theme: theme, glyphs: canvas.glyphs)
        ).draw(on: &canvas, in: rect)
        guard !inner.isEmpty else { return }
        var y = inner.minY
        func next() -> Rect? {
            guard y < inner.maxY else { return nil }
            defer { y += 1 }
            return Rect(x: inner.minX, y: y, width: inner.width, height: 1)
        }
        for line in lines(canvas, width: inner.width) {
            guard let area = next() else { return }
            canvas.write(line, x: area.minX, y: area.minY, limit: area.width)
        }
        if let lane = history.lanes.first(where: { $0.pid == row.pid }) {
            let rest = Rect(x: inner.minX, y: y, width: inner.width, height: inner.maxY - y)
            draw(lane, on: &canvas, in: rest)
        }
    }

    private func lines(_ canvas: Canvas, width: Int) -> [[Span]] {
        let theme = canvas.theme
        let isASCII = canvas.glyphs == .ascii
        let (dim, text, bold) = (theme.style(.dim), theme.style(.text), theme.bold(.text))
        var lines: [[Span]] = []
        var facts = [
            Span(row.state.mark.text(in: canvas.glyphs) + " ", theme.style(row.state.mark.role)),
            Span(row.state.label, theme.bold(row.state.mark.role)),
        ]
        func add(_ name: String, _ value: String) {
            facts += [Span("  \(name) ", dim), Span(value, bold)]
        }
        if let user = row.process?.user { add("user", user) }
        if let cpuShare = row.cpuShare { add("CPU", HumanUnits.percent(cpuShare)) }
        for (name, share) in [
            ("writes", row.share.writer), ("reads", row.share.reader),
            ("checkpoints", row.share.checkpoint),
        ] where share.value > 0 { add(name, WatchLabels.share(share, isASCII: isASCII) + "%") }
        lines.append(facts)
        if let command = row.process?.commandLine, !command.isEmpty {
            let wrapped = TextWrapping.lines(of: command, width: max(10, width - 8))
            lines += wrapped.prefix(2).enumerated().map { index, line in
                [Span(index == 0 ? "command " : "        ", dim), Span(line, text)]
            }
        }
        if row.locks.isEmpty { lines.append([Span("holds no lock now", dim)]) }
        lines += row.locks.flatMap { canvas.rows(of: pieces(of: $0, canvas), width: width) }
        if let wait = row.process?.waiting, wait.isWaiting {
            lines.append([
                Span("waits for a lock", theme.bold(.locked)),
                Span(" in SQLite's busy handler (inferred from its stack)", dim),
            ])
        }
        let episodes = history.episodes.filter { episode in
            episode.pid == row.pid || episode.waiters.contains { $0.pid == row.pid }
        }
        lines += episodes.prefix(3).map { episode in
            [Span(WatchLabels.clock(episode.start) + " ", dim), Span(episode.summary, text)]
        }
        return lines
    }

    /// Describes a lock, such as `holds reader, mark 1, frame 230, ≥ 31.0 s`.
    private func pieces(of lock: WatchedLock, _ canvas: Canvas) -> [[Span]] {
        let theme = canvas.theme
        let text = theme.style(.text)
        var pieces = [
            [Span("holds ", theme.style(.dim)), Span(lock.kind.rawValue, theme.bold(.text))]
        ]
        if let mark = lock.mark { pieces.append([Span("mark \(mark)", text)]) }
        if let frame = lock.frame, lock.mark != 0 {
            pieces.append([Span("frame \(HumanUnits.count(frame))", text)])
        }
        let held = WatchLabels.held(lock, isASCII: canvas.glyphs == .ascii)
        pieces.append([Span(held, lock.seconds >= 1 ? theme.bold(.warning) : text)])
        if let pin = row.pin, lock.kind == .reader, lock.mark == pin.mark {
            let frames = pin.frames == 1 ? "frame" : "frames"
            let pinned = "pins \(HumanUnits.count(pin.frames)) \(frames)"
            pieces.append([Span(pinned, theme.bold(.warning))])
            pieces.append([Span(HumanUnits.bytes(pin.bytes), theme.bold(.warning))])
        }
        pieces.append([Span("since \(WatchLabels.clock(lock.since)) UTC or earlier", text)])
        return pieces
    }

    /// Draws the lane and, if there is room, a chart of shares over time.
    private func draw(_ lane: WatchLane, on canvas: inout Canvas, in rect: Rect) {
        guard rect.height > 0, rect.width > TimeChart.axisWidth else { return }
        let offset = history.moments.count - lane.points.count
        let label = Rect(x: rect.minX, y: rect.minY, width: TimeChart.axisWidth, height: 1)
        canvas.write("state", in: label, style: canvas.theme.style(.dim), alignment: .leading)
        let strip = Rect(
            x: rect.minX + TimeChart.axisWidth,
            y: rect.minY,
            width: rect.width - TimeChart.axisWidth,
            height: 1
        )
        let bins = TimeBins(history, seconds: seconds, count: strip.width)
        let states = bins.states(
            stateCount: WatchLaneState.allCases.count,
            seriesLength: lane.points.count,
            offset: offset
        ) { Int(lane.points[$0].state.rawValue) }
        LaneStrip(marks: WatchLaneState.marks, cells: states).draw(on: &canvas, in: strip)
        history.markTime(seconds, on: &canvas, in: strip)
        let chart = Rect(
            x: rect.minX,
            y: rect.minY + 1,
            width: rect.width,
            height: min(rect.height - 1, 14)
        )
        guard chart.height >= 4 else { return }
        drawShares(lane, offset: offset, on: &canvas, in: chart)
    }

    private func drawShares(
        _ lane: WatchLane,
        offset: Int,
        on canvas: inout Canvas,
        in rect: Rect
    ) {
        let count = TimeChart.points(in: rect.width, glyphs: canvas.glyphs)
        let bins = TimeBins(history, seconds: seconds, count: count)
        func values(_ share: (WatchLane.Point) -> Float) -> [Double] {
            bins.values(.mean) { position in
                position < offset ? .nan : Double(share(lane.points[position - offset])) * 100
            }
        }
        let writes = values { $0.writer }
        let reads = values { $0.reader }
        // A process may hold both locks at the same time. Limit the sum to 100%.
        let displayedReads = zip(writes, reads).map { write, read in
            write.isFinite && read.isFinite ? max(0, min(read, 100 - write)) : read
        }
        TimeChart(
            layers: [
                TimeChart.Layer(values: writes, gradient: .waiting, range: 0...100),
                TimeChart.Layer(
                    values: displayedReads,
                    gradient: .readers,
                    range: 0...100,
                    isShaded: true
                ),
            ],
            maximum: 100,
            seconds: seconds,
            end: history.endLabel(seconds)
        ).draw(on: &canvas, in: rect)
        history.markTime(seconds, on: &canvas, in: TimeChart.plot(in: rect))
    }
}
