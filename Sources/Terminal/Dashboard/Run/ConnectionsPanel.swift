import Telemetry
import TerminalUI
import Text

/// The panel with a lane for each connection: current and past states, holder, and hold time.
struct ConnectionsPanel {
    let history: History
    let seconds: Double
    let selected: String?

    /// Returns the height, including the border.
    func track(isShort: Bool) -> Track {
        let lanes = max(history.lanes.count, 1)
        return Track(
            minimum: min(lanes, isShort ? 4 : 8) + 2,
            ideal: min(lanes, isShort ? 6 : lanes) + 2,
            maximum: lanes + 2,
            priority: 90
        )
    }

    private enum Column: Int, CaseIterable {
        case label
        case state
        case holder
        case held
        case busy
        case history

        var track: Track {
            switch self {
            case .label: Track.fixed(11, priority: 10)
            case .state: Track.fixed(14, priority: 5)
            case .holder: Track(minimum: 6, ideal: 9, maximum: 14, priority: 8, flex: 0)
            case .held: Track.fixed(HumanUnits.durationWidth, priority: 7)
            case .busy: Track.fixed(11, priority: 3)
            case .history: Track(minimum: 8, ideal: 20, maximum: .max, priority: 9, flex: 1)
            }
        }
    }

    func draw(on canvas: inout Canvas, in rect: Rect) {
        let theme = canvas.theme
        let legend = LaneState.legend(theme: theme, glyphs: canvas.glyphs)
        let inner = Panel(
            title: "Connections",
            subtitle: history.isOver
                ? "the run has ended: accesses and last known holder of each"
                : "holder and activity of each",
            remark: "last \(HumanUnits.secondsLabel(seconds))",
            legend: legend
        ).draw(on: &canvas, in: rect)
        let shown = shownLanes(rows: inner.height)
        let widths = Track.lengths(
            of: Column.allCases.map(\.track),
            available: inner.width,
            spacing: 1
        )
        let bins = TimeBins(
            history,
            seconds: seconds,
            count: widths[Column.history.rawValue]
        )
        if history.lanes.isEmpty {
            canvas.write(
                history.connectionsPlaceholder,
                in: inner.row(0),
                style: theme.style(.dim),
                alignment: .leading
            )
        }
        for (row, lane) in shown.enumerated() {
            let cells = inner.row(row).columns(widths, spacing: 1)
            canvas.mark(inner.row(row), as: .row(lane.label))
            draw(lane, bins: bins, on: &canvas, in: cells)
            if lane.label == selected { canvas.select(inner.row(row)) }
        }
        if let strip = inner.columns(widths, spacing: 1).last, strip.width > 0 {
            let height = min(shown.count, strip.height)
            let lanes = Rect(x: strip.minX, y: strip.minY, width: strip.width, height: height)
            history.markTime(seconds, on: &canvas, in: lanes)
        }
        if shown.count < history.lanes.count, inner.height > 0 {
            let text = summary(ofLanesBeyond: shown, width: inner.width)
            let row = inner.row(shown.count)
            canvas.write(text, in: row, style: theme.style(.dim), alignment: .leading)
        }
    }

    private func draw(_ lane: Lane, bins: TimeBins, on canvas: inout Canvas, in cells: [Rect]) {
        let theme = canvas.theme
        let state = lane.state
        let mark = state.mark
        // Between reads, show the creator of a snapshot as the holder.
        let keptSnapshot =
            lane.state == .kept
            ? history.displayedSample?.database.snapshots.first { $0.label == lane.label } : nil
        func cell(_ column: Column) -> Rect { cells[column.rawValue] }
        let label = theme.style(lane.state == .absent ? .dim : lane.role.colorRole)
        canvas.write(lane.shortLabel, in: cell(.label), style: label, alignment: .leading)
        if cell(.state).width > 0 {
            let labelRole = state == .idle || state == .absent ? Role.dim : mark.role
            var spans = [
                Span(mark.text(in: canvas.glyphs), theme.style(mark.role)),
                Span(" \(state.label)", theme.style(labelRole)),
            ]
            if lane.hasRunEnded, let status = lane.status {
                spans = [Span("\(HumanUnits.count(status.accessCount)) served", theme.style(.text))]
            }
            canvas.write(spans, x: cell(.state).minX, y: cell(.state).minY, limit: 14)
        }
        let holder = keptSnapshot?.origin ?? lane.displayedStatus?.holder
        if cell(.holder).width > 0, let holder {
            let style = theme.style(lane.hasRunEnded ? .dim : .text)
            canvas.write(holder.name, in: cell(.holder), style: style, alignment: .leading)
        }
        if cell(.held).width > 0,
            let held = keptSnapshot?.ageNanoseconds ?? lane.status?.heldNanoseconds
        {
            let text = HumanUnits.duration(nanoseconds: held)
            let isLong = held >= 1_000_000_000
            let style = isLong ? theme.bold(.warning) : theme.style(.text)
            canvas.write(text, in: cell(.held), style: style, alignment: .trailing)
        }
        if cell(.busy).width > 0, lane.role != .snapshot,
            let share = bins.busyShare(of: lane, in: history.moments)
        {
            let text = HumanUnits.percent(share) + " in use"
            canvas.write(text, in: cell(.busy), style: theme.style(.dim), alignment: .trailing)
        }
        LaneStrip(marks: LaneState.marks, cells: bins.states(of: lane, in: history.moments))
            .draw(on: &canvas, in: cell(.history))
    }

    /// Returns the lanes that fit.
    ///
    /// The writer and the snapshots take priority over readers.
    private func shownLanes(rows: Int) -> [Lane] {
        let lanes = history.lanes
        guard lanes.count > rows else { return lanes }
        let room = max(0, rows - 1)
        let nonReaders = lanes.count { $0.role != .reader }
        var readers = max(0, room - nonReaders)
        return Array(
            lanes.filter { lane in
                guard lane.role == .reader else { return true }
                readers -= 1
                return readers >= 0
            }.prefix(room)
        )
    }

    /// Returns a summary such as `and 4 more: 3 idle, 1 running SQL`.
    ///
    /// In a narrow panel, the summary is, for example, `and 4 more, 1 in use`.
    private func summary(ofLanesBeyond shown: [Lane], width: Int) -> String {
        let labels = Set(shown.map(\.label))
        let hidden = history.lanes.filter { !labels.contains($0.label) }
        let states = LaneState.allCases.compactMap { state in
            let count = hidden.count { $0.state == state }
            return count > 0 ? "\(count) \(state.label)" : nil
        }
        let text = "and \(hidden.count) more: \(states.joined(separator: ", "))"
        let inUse = hidden.count { ![.idle, .kept, .absent].contains($0.state) }
        return text.utf8.count <= width ? text : "and \(hidden.count) more, \(inUse) in use"
    }
}

extension ConnectionRole {
    var colorRole: Role {
        switch self {
        case .queue, .writer: .writer
        case .reader: .reader
        case .snapshot: .snapshot
        }
    }
}

/// The panel with the demand over time: connections in use, waiters stacked above them, and the
/// limit above which accesses wait.
struct PoolPanel {
    let history: History
    let seconds: Double

    /// Returns the height, including the border.
    func track(isShort: Bool) -> Track {
        Track(minimum: 6, ideal: isShort ? 6 : 9, maximum: .max, priority: 80, flex: 3)
    }

    private var readers: ReaderPoolStatus? { history.displayedSample?.database.readers }

    func draw(on canvas: inout Canvas, in rect: Rect) {
        let theme = canvas.theme
        let limit = Double(readers?.maximum ?? 1)
        let inner = Panel(
            title: readers == nil ? "Single connection" : "Reader pool",
            subtitle: "demand over time",
            remark: remark,
            legend: legend(theme: theme, glyphs: canvas.glyphs)
        ).draw(on: &canvas, in: rect)
        let bins = TimeBins(
            history,
            seconds: seconds,
            count: TimeChart.points(in: inner.width, glyphs: canvas.glyphs)
        )
        let moments = history.moments
        let inUse = bins.values(.mean) { moments[$0].inUse }
        // The maximum in each interval makes short queues visible.
        var waiting = bins.values(.maximum) { moments[$0].waitingReaders }
        if readers == nil {
            let writers = bins.values(.maximum) { moments[$0].waitingWriters }
            for index in waiting.indices { waiting[index] += writers[index] }
        }
        var peak = limit + 0.01
        for index in inUse.indices where inUse[index].isFinite && waiting[index].isFinite {
            peak = max(peak, inUse[index] + waiting[index])
        }
        let top = TimeChart.niceMaximum(above: peak)
        let base = min(max(limit, 0), top)
        TimeChart(
            layers: [
                TimeChart.Layer(values: inUse, gradient: .readers, range: 0...base),
                TimeChart.Layer(
                    values: waiting,
                    gradient: .waiting,
                    range: base...top,
                    isShaded: true
                ),
            ],
            maximum: top,
            reference: (limit, "max \(HumanUnits.number(limit))"),
            seconds: seconds,
            end: history.endLabel(seconds)
        ).draw(on: &canvas, in: inner)
        history.markTime(seconds, on: &canvas, in: TimeChart.plot(in: inner))
    }

    private var remark: String {
        guard !history.isUnknown else { return "no response" }
        guard let readers else { return history.hidesConnections ? "unknown" : "" }
        if history.isOver {
            let maximumInUse = history.peaks.accesses.readersInUse ?? 0
            return "the run has ended; at most \(maximumInUse) of \(readers.maximum) in use"
        }
        let maximum = HumanUnits.counted(readers.maximum, "reader", "readers")
        let waking = history.displayedSample?.database.wakingReaders ?? 0
        let handedOver = waking > 0 ? " (\(waking) handed over)" : ""
        return "\(readers.inUse) of \(maximum) in use\(handedOver), \(readers.open) open"
    }

    private func legend(theme: Theme, glyphs: GlyphSet) -> [[Span]] {
        let solid = glyphs == .braille ? "⣿" : glyphs == .block ? "█" : "#"
        let shaded = glyphs == .braille ? "⢕" : glyphs == .block ? "▒" : ":"
        let dim = theme.style(.dim)
        return [
            [
                Span(solid, theme.style(.readers, at: 1)),
                Span(readers == nil ? " in use" : " readers in use", dim),
            ],
            [
                Span(shaded, theme.style(.waiting, at: 0.5)),
                Span(readers == nil ? " reads and writes waiting" : " reads waiting", dim),
            ],
            [
                Span(glyphs.referenceLine, theme.style(.limit)),
                Span(readers == nil ? " one at a time" : " maximumReaderCount", dim),
            ],
        ]
    }
}

extension DatabaseStatus {
    /// The number of readers handed over to waiters that have not started their accesses.
    var wakingReaders: Int {
        // Without a list of connections, the number is unknown.
        guard !connections.isEmpty else { return 0 }
        let busyCount = connections.count { $0.role == .reader && $0.state != .idle }
        return max(0, max(0, readers?.inUse ?? 0) - busyCount)
    }
}
