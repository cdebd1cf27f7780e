import Telemetry
import TerminalUI
import Text

/// The screen with the log and the open snapshots that pin it.
struct SnapshotsScreen: RunScreen {
    static let title = "Snapshots"
    static let help = "snapshots: the frames that they pin"
    static let parts = ["log", "snapshots", "meaning"]
    static var sortableTitles: [String] { SnapshotList.listing.sortableTitles }

    let scene: ScreenScene

    var rowNames: [String] { snapshots.map(\.status.label) }

    var snapshots: [OpenSnapshot] { SnapshotList.listing.arranged(allSnapshots, view: scene.view) }

    private var allSnapshots: [OpenSnapshot] {
        scene.history.displayedSample.map { OpenSnapshot.all(in: $0.database) } ?? []
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

    /// Draws the part whose index in ``RunScreen/parts`` is `part`.
    private func draw(_ part: Int, on canvas: inout Canvas, in rect: Rect) {
        switch part {
        case 0: drawLog(on: &canvas, in: rect)
        case 1: drawTable(on: &canvas, in: rect)
        default: drawMeaning(on: &canvas, in: rect)
        }
        scene.markPart(part, on: &canvas, in: rect)
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
        scene.markTime(on: &canvas, in: TimeChart.plot(in: plot))
    }

    private func drawTable(on canvas: inout Canvas, in rect: Rect) {
        let createdCount = scene.history.displayedSample?.database.snapshotsMade ?? 0
        let all = allSnapshots
        SnapshotList.listing.draw(
            all,
            view: scene.view,
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

/// An open snapshot and its connection.
struct OpenSnapshot: Sendable {
    var status: SnapshotStatus
    /// The status of the snapshot's connection, or `nil` if unknown.
    var connection: ConnectionStatus?
    /// The size of a log frame, in bytes, or `nil` if unknown.
    var frameBytes: UInt64?

    /// The size of the pinned frames, in bytes.
    var pinnedBytes: UInt64? {
        guard let frames = status.pinnedFrames, let frameBytes else { return nil }
        return frames.multipliedReportingOverflow(by: frameBytes).partialValue
    }

    /// Returns the snapshots of a database, oldest first.
    static func all(in database: DatabaseStatus) -> [OpenSnapshot] {
        let frame = database.wal?.pageSize.map { UInt64(max($0, 0)) + 24 }
        return database.snapshots.map { status in
            OpenSnapshot(
                status: status,
                connection: database.connections.first { $0.label == status.label },
                frameBytes: frame
            )
        }
    }
}

enum SnapshotList {
    static let listing = Listing<OpenSnapshot>(
        columns: [
            Listing.Column(
                "snapshot",
                Track(minimum: 12, ideal: 18, maximum: 26, priority: 20, flex: 0),
                rank: { .text($0.status.label) }
            ) {
                Span($0.status.label, $1.style(.snapshot))
            },
            Listing.Column(
                "created by",
                Track(minimum: 8, ideal: 14, maximum: 30, priority: 18, flex: 1),
                rank: { .text($0.status.origin?.name ?? "") }
            ) {
                Span($0.status.origin?.name ?? "–", $1.bold(.text))
            },
            .number(
                "age",
                width: HumanUnits.durationWidth,
                priority: 19,
                { Double($0.status.ageNanoseconds) }
            ) {
                Span(HumanUnits.duration(nanoseconds: $0.status.ageNanoseconds), $1.bold(.snapshot))
            },
            .number("at frame", width: 9, priority: 9, { Double($0.status.frame ?? 0) }) {
                Span($0.status.frame.map(HumanUnits.count) ?? "–", $1.style(.text))
            },
            .number("pins frames", width: 11, priority: 16, { Double($0.status.pinnedFrames ?? 0) })
            {
                snapshot,
                theme in
                let frames = snapshot.status.pinnedFrames
                let style = theme.style((frames ?? 0) > 0 ? .warning : .dim)
                return Span(frames.map(HumanUnits.count) ?? "–", style)
            },
            .number(
                "bytes",
                width: HumanUnits.bytesWidth,
                priority: 15,
                { Double($0.pinnedBytes ?? 0) }
            ) {
                snapshot,
                theme in
                let bytes = snapshot.pinnedBytes
                let style = theme.style((bytes ?? 0) > 0 ? .warning : .dim)
                return Span(bytes.map(HumanUnits.bytes) ?? "–", style)
            },
            .number("reads", width: 9, priority: 8, { Double($0.connection?.accessCount ?? 0) }) {
                Span(
                    $0.connection.map { HumanUnits.count($0.accessCount) } ?? "–",
                    $1.style(.text)
                )
            },
            Listing.Column(
                "now",
                Track(minimum: 10, ideal: 20, maximum: .max, priority: 12, flex: 4)
            ) { snapshot, theme in
                guard let connection = snapshot.connection else {
                    return Span("–", theme.style(.dim))
                }
                let state = LaneState(connection)
                let isIdle = state == .kept
                return Span(
                    isIdle ? "idle" : connection.sql ?? state.label,
                    theme.style(isIdle ? .dim : .text)
                )
            },
        ],
        name: \.status.label
    )
}
