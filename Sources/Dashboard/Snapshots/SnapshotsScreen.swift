import Telemetry
import TerminalUI
import Text

/// The screen with the log and the open snapshots that pin it.
struct SnapshotsScreen {
    let scene: ScreenScene

    var snapshots: [LiveSnapshot] { SnapshotList.listing.arranged(allSnapshots, scene.view) }

    private var allSnapshots: [LiveSnapshot] {
        scene.history.displayedSample.map { LiveSnapshot.all(in: $0.database) } ?? []
    }

    func draw(on canvas: inout Canvas, in rect: Rect) {
        if let part = scene.expandedPart {
            draw(part, on: &canvas, in: rect)
            return
        }
        let log = Track(minimum: 6, ideal: rect.height / 2, maximum: 18, priority: 5, flex: 1)
        let table = Track(minimum: 5, ideal: 8, priority: 9, flex: 2)
        let meaning = Track(minimum: 3, ideal: 5, maximum: 5, priority: 3, flex: 0)
        let areas = rect.rows(Track.lengths(of: [log, table, meaning], available: rect.height))
        for (part, area) in areas.enumerated() { draw(part, on: &canvas, in: area) }
    }

    /// Draws the part whose index in ``DashboardScreen/parts`` is `part`.
    private func draw(_ part: Int, on canvas: inout Canvas, in rect: Rect) {
        switch part {
        case 0: drawLog(on: &canvas, in: rect)
        case 1: drawTable(on: &canvas, in: rect)
        default: drawMeaning(on: &canvas, in: rect)
        }
        scene.markPart(part, on: &canvas, rect)
    }

    private func drawLog(on canvas: inout Canvas, in rect: Rect) {
        guard rect.height >= 4 else { return }
        let theme = canvas.theme
        let wal = scene.history.displayedSample?.database.wal
        let inner = Panel(
            title: "Write-ahead log",
            subtitle: "MiB over time",
            remark: wal.map { WALWords.frames($0, width: 60) } ?? ""
        ).draw(on: &canvas, in: rect)
        guard let wal else {
            canvas.write(
                scene.history.logPlaceholder,
                in: inner.row(0),
                style: theme.style(.dim),
                alignment: .leading
            )
            return
        }
        var size = HumanUnits.bytes(wal.bytes)
        if scene.history.isOver {
            size += " at the end, peak \(HumanUnits.bytes(scene.history.peaks.walBytes))"
        }
        let state = WALWords.state(wal, width: inner.width - size.utf8.count - 2, rows: 1)
        canvas.write(
            [
                Span(size, theme.bold(.text)),
                Span("  ", theme.style(.dim)),
                Span(state.text, theme.style(state.isPinned ? .warning : .ok)),
            ],
            x: inner.minX,
            y: inner.minY,
            limit: inner.width
        )
        let plot = Rect(
            x: inner.minX,
            y: inner.minY + 1,
            width: inner.width,
            height: inner.height - 1
        )
        let moments = scene.history.moments
        let bins = TimeBins(
            scene.history,
            seconds: scene.seconds,
            count: TimeChart.points(in: plot.width, glyphs: canvas.glyphs)
        )
        let sizes = bins.values(.mean) { moments[$0].walBytes / 1_048_576 }
        let peak = sizes.reduce(0.01) { $1.isFinite ? max($0, $1) : $0 }
        let top = TimeChart.niceMaximum(above: peak)
        TimeChart(
            layers: [.init(values: sizes, gradient: .wal, range: 0...top)],
            maximum: top,
            seconds: scene.seconds,
            end: scene.history.endLabel(scene.seconds)
        ).draw(on: &canvas, in: plot)
        scene.markTime(on: &canvas, TimeChart.plot(in: plot))
    }

    private func drawTable(on canvas: inout Canvas, in rect: Rect) {
        let createdCount = scene.history.displayedSample?.database.snapshotsMade ?? 0
        let all = allSnapshots
        SnapshotList.listing.draw(
            all,
            scene.view,
            in: Panel(
                title: "Snapshots",
                remark: HumanUnits.counted(all.count, "snapshot", "snapshots")
                    + " open, \(HumanUnits.count(createdCount)) created"
                    + (scene.history.isOver ? "" : " so far")
            ),
            item: "snapshot",
            placeholder: placeholder,
            on: &canvas,
            in: rect
        )
    }

    /// The text to show in place of an empty table.
    private var placeholder: String {
        guard scene.history.isOver else {
            let key = isRun ? scene.keys.key(for: .snapshot)?.label : nil
            return "no snapshot is open" + (key.map { "; press \($0) to take one" } ?? "")
        }
        guard let oldest = scene.history.peaks.oldestSnapshot else {
            return "the run has ended; no snapshot was observed"
        }
        let age = HumanUnits.duration(nanoseconds: oldest.ageNanoseconds)
        let frames =
            oldest.pinnedFrames.map {
                " and pinned \(HumanUnits.count($0)) \($0 == 1 ? "frame" : "frames")"
            } ?? ""
        let origin = oldest.origin.map { " (by \($0.name))" } ?? ""
        return "the run has ended; the oldest snapshot\(origin) was \(age) old" + frames
    }

    /// The keys for a TRUNCATE checkpoint, or `nil` for an attached program, which runs only
    /// PASSIVE checkpoints.
    private var truncateKeys: String? {
        isRun ? scene.keys.key(for: .checkpoint).map { "\($0.label), then t" } : nil
    }

    private var isRun: Bool { scene.history.displayedSample?.program == nil }

    private func drawMeaning(on canvas: inout Canvas, in rect: Rect) {
        guard rect.height >= 3, let database = scene.history.displayedSample?.database else {
            return
        }
        let inner = Panel(title: "What this means").draw(on: &canvas, in: rect)
        let text = WALWords.fitting(
            WALWords.explanations(database, truncateKeys: truncateKeys),
            width: inner.width,
            rows: inner.height
        )
        let lines = TextWrapping.lines(of: text, width: inner.width)
        for (index, line) in lines.enumerated()
        where index < inner.height {
            let style = canvas.theme.style(.dim)
            canvas.write(line, in: inner.row(index), style: style, alignment: .leading)
        }
    }
}
