import Telemetry
import TerminalUI
import Text

/// The first row of the run dashboard, with the arm or attached program, the progress, and the
/// throughput.
struct HeaderLine {
    let history: History
    let isPaused: Bool
    var isReplay = false
    var isRecording = false

    func draw(on canvas: inout Canvas, in row: Rect) {
        HeaderBar(
            segments: segments(theme: canvas.theme),
            state: state,
            isRecording: isRecording
        ).draw(on: &canvas, in: row)
    }

    private func segments(theme: Theme) -> [HeaderBar.Segment] {
        func text(_ text: String, _ role: Role = .text) -> Span { Span(text, theme.raised(role)) }
        var name = theme.raised(.accent)
        name.attributes.insert(.bold)
        var segments = [HeaderBar.Segment(spans: [Span("poolgauge", name)], priority: 30)]
        guard let sample = history.displayedSample else { return segments }
        var title = theme.raised(.title)
        title.attributes.insert(.bold)
        segments.append(HeaderBar.Segment(spans: [Span(sample.scenario, title)], priority: 80))
        if let program = sample.program {
            let process = [text("PID ", .dim), text(String(program.process))]
            segments.append(HeaderBar.Segment(spans: process, priority: 90))
        } else {
            segments.append(HeaderBar.Segment(spans: arm(of: sample, theme: theme), priority: 90))
        }
        if !sample.phase.isEmpty {
            segments.append(
                HeaderBar.Segment(spans: [text("phase ", .dim), text(sample.phase)], priority: 50)
            )
        }
        var time = HumanUnits.seconds(sample.time)
        let planned = sample.plannedDuration.map { " of " + HumanUnits.seconds($0) } ?? ""
        // If both times have the same unit, show the unit once.
        if time.hasSuffix(" s"), planned.hasSuffix(" s") { time.removeLast(2) }
        segments.append(HeaderBar.Segment(spans: [text(time), text(planned, .dim)], priority: 85))
        if let journal = sample.database.journalMode {
            segments.append(
                HeaderBar.Segment(spans: [text("journal ", .dim), text(journal)], priority: 40)
            )
        }
        if sample.state == .finished {
            let done = sample.clients.reduce(UInt64(0)) {
                $0.addingReportingOverflow($1.counts.completed).partialValue
            }
            segments.append(
                HeaderBar.Segment(
                    spans: [
                        text(HumanUnits.count(done)),
                        text(done == 1 ? " access measured" : " accesses measured", .dim),
                    ],
                    priority: 60
                )
            )
            return segments
        }
        if history.isUnknown || sample.program != nil && sample.clients.isEmpty { return segments }
        let rate = sample.clients.reduce(0) { $0 + ($1.throughput.isFinite ? $1.throughput : 0) }
        let total = HumanUnits.rate(rate).dropLast(2)
        // Pad to the maximum width to keep adjacent segments in place.
        let padding = String(repeating: " ", count: max(0, 6 - total.utf8.count))
        segments.append(
            HeaderBar.Segment(
                spans: [text(padding + total), text(" accesses/s", .dim)],
                priority: 60
            )
        )
        return segments
    }

    private func arm(of sample: Sample, theme: Theme) -> [Span] {
        var style = theme.raised(.accent)
        style.attributes.insert(.bold)
        var spans = [Span("arm ", theme.raised(.dim)), Span(sample.arm, style)]
        if sample.arms.count > 1, let index = sample.arms.firstIndex(of: sample.arm) {
            spans.append(Span(" \(index + 1)/\(sample.arms.count)", theme.raised(.dim)))
        }
        return spans
    }

    private var state: (mark: String, text: String, role: Role) {
        if history.cursor != nil, history.now < history.newestTime {
            let age = HumanUnits.seconds(history.newestTime - history.now)
            return ("‖", "\(age) AGO", .warning)
        }
        if isPaused { return ("‖", "FROZEN", .warning) }
        if history.isUnknown { return ("✖", "NO RESPONSE", .error) }
        switch history.displayedSample?.state {
        case nil: return ("·", "STARTING", .dim)
        case .preparing: return ("·", "PREPARING", .dim)
        case .running: return ("●", isReplay ? "REPLAY" : "LIVE", .ok)
        case .paused: return ("‖", "LOAD PAUSED", .warning)
        case .draining: return ("●", "DRAINING", .warning)
        case .finished: return ("■", "FINISHED", .accent)
        }
    }
}

/// A one-row summary of the log, the snapshots, and the interrupts, shown if their panels do not
/// fit.
struct SummaryLine {
    let history: History
    /// The key of the screen with details of the log, if any.
    let detailsKey: String?

    private enum Wording: Int {
        case short
        case medium
        case long
    }

    /// Draws the longest versions of the texts that fit.
    ///
    /// The text about the log is the last to be shortened.
    func draw(on canvas: inout Canvas, in row: Rect) {
        guard let database = history.displayedSample?.database else { return }
        let theme = canvas.theme
        let gap = 3
        // The lengths of the texts about the log, the snapshots, and the interrupts, longest first.
        let choices: [(Wording, Wording, Wording)] = [
            (.long, .long, .long), (.long, .long, .medium), (.long, .long, .short),
            (.long, .short, .short), (.short, .short, .short),
        ]
        var pieces: [[Span]] = []
        for (log, snapshots, interrupts) in choices {
            pieces = [
                self.log(database, theme: theme, wording: log),
                self.snapshots(database, theme: theme, wording: snapshots),
                self.interrupts(database.interrupts, theme: theme, wording: interrupts),
            ]
            let totalWidth =
                pieces.reduce(0) { $0 + canvas.width(of: $1) } + gap * (pieces.count - 1)
            if totalWidth <= row.width { break }
        }
        let tracks = pieces.enumerated().map { index, piece in
            Track.fixed(canvas.width(of: piece), priority: 9 - index)
        }
        let widths = Track.lengths(of: tracks, available: row.width, spacing: gap)
        for (piece, cell) in zip(pieces, row.columns(widths, spacing: gap)) where cell.width > 0 {
            canvas.write(piece, x: cell.minX, y: cell.minY, limit: cell.width)
        }
    }

    /// Returns text such as `log 43.3 MiB ▲ pinned by snapshot, see 4`.
    private func log(_ database: DatabaseStatus, theme: Theme, wording: Wording) -> [Span] {
        let dim = theme.style(.dim)
        guard let wal = database.wal else {
            let isUnknown = history.logPlaceholder == "unknown"
            return [Span("log ", dim), Span(isUnknown ? "unknown" : "none", theme.style(.text))]
        }
        var log = [Span("log ", dim), Span(HumanUnits.bytes(wal.bytes), theme.bold(.text))]
        let warning =
            wal.pin.map { wording == .long ? WALWords.short($0) : "pinned" }
            ?? (history.isLogGrowing ? "growing" : nil)
        guard let warning else { return log }
        log.append(Span(" ▲ " + warning, theme.style(.warning)))
        if let detailsKey {
            log += [Span(", see ", dim), Span(detailsKey, theme.bold(.accent))]
        }
        return log
    }

    /// Returns text such as `1 snapshot, 22.0 s`.
    private func snapshots(
        _ database: DatabaseStatus,
        theme: Theme,
        wording: Wording
    ) -> [Span] {
        let count = HumanUnits.counted(database.snapshots.count, "snapshot", "snapshots")
        let oldest = database.snapshots.max { $0.ageNanoseconds < $1.ageNanoseconds }
        guard let oldest else { return [Span(count, theme.style(.dim))] }
        let snapshots = [Span(count, theme.bold(.snapshot))]
        guard wording == .long else { return snapshots }
        let age = HumanUnits.duration(nanoseconds: oldest.ageNanoseconds)
        return snapshots + [Span(", \(age)", theme.style(.snapshot))]
    }

    /// Returns text such as `4 interrupts ended 2 statements`.
    private func interrupts(
        _ counts: InterruptStatus?,
        theme: Theme,
        wording: Wording
    ) -> [Span] {
        let dim = theme.style(.dim)
        let text = theme.style(.text)
        guard let counts else { return [Span("interrupts ", dim), Span("unknown", text)] }
        let calls = HumanUnits.count(counts.requested)
        let ended = HumanUnits.count(counts.delivered)
        if wording == .short || counts.requested == 0 {
            return [Span("interrupts ", dim), Span(calls, text)]
        }
        guard wording == .long else {
            return [Span("interrupts ", dim), Span(calls, text), Span(", ended \(ended)", dim)]
        }
        let noun = counts.requested == 1 ? " interrupt ended " : " interrupts ended "
        let statements = counts.delivered == 1 ? " statement" : " statements"
        return [Span(calls, text), Span(noun, dim), Span(ended, text), Span(statements, dim)]
    }
}
