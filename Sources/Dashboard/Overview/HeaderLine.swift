import Telemetry
import TerminalUI

/// The first row: what runs, how far it is, how fast.
struct HeaderLine {
    let history: History
    let isPaused: Bool

    /// One piece of the row, which gives way as a whole.
    private struct Segment {
        var spans: [Span]
        var priority: Int
    }

    /// Draws the pieces that fit, the important ones first; the state stands at the right end.
    func draw(on canvas: inout Canvas, in row: Rect) {
        let theme = canvas.theme
        canvas.fill(row, style: theme.raised(.text))
        let (mark, words, role) = state
        var stateStyle = theme.raised(role)
        stateStyle.attributes.insert(.bold)
        let stateSpans = [Span(" \(mark) \(words) ", stateStyle)]
        var segments = segments(theme: theme)
        segments.append(Segment(spans: stateSpans, priority: 100))
        let tracks = segments.map { segment in
            Track.fixed(canvas.width(of: segment.spans), priority: segment.priority)
        }
        let widths = Track.lengths(of: tracks, available: row.width - 1, spacing: 2)
        var x = row.minX + 1
        for (segment, width) in zip(segments.dropLast(), widths) where width > 0 {
            canvas.write(segment.spans, x: x, y: row.minY, limit: width)
            x += width + 2
        }
        if let width = widths.last, width > 0 {
            canvas.write(stateSpans, x: row.maxX - width, y: row.minY)
        }
    }

    private func segments(theme: Theme) -> [Segment] {
        func text(_ text: String, _ role: Role = .text) -> Span { Span(text, theme.raised(role)) }
        var name = theme.raised(.accent)
        name.attributes.insert(.bold)
        var segments = [Segment(spans: [Span("poolgauge", name)], priority: 30)]
        guard let sample = history.latest else { return segments }
        var title = theme.raised(.title)
        title.attributes.insert(.bold)
        segments.append(Segment(spans: [Span(sample.scenario, title)], priority: 80))
        segments.append(Segment(spans: arm(of: sample, theme: theme), priority: 90))
        if !sample.phase.isEmpty {
            segments.append(
                Segment(spans: [text("phase ", .dim), text(sample.phase)], priority: 50)
            )
        }
        var time = HumanUnits.seconds(sample.time)
        let planned = sample.plannedDuration.map { " of " + HumanUnits.seconds($0) } ?? ""
        // One unit for both where it is the same.
        if time.hasSuffix(" s"), planned.hasSuffix(" s") { time.removeLast(2) }
        segments.append(Segment(spans: [text(time), text(planned, .dim)], priority: 85))
        if let journal = sample.database.journalMode {
            segments.append(
                Segment(spans: [text("journal ", .dim), text(journal)], priority: 40)
            )
        }
        if sample.state == .finished {
            let done = sample.clients.reduce(UInt64(0)) {
                $0.addingReportingOverflow($1.counts.completed).partialValue
            }
            segments.append(
                Segment(
                    spans: [text(HumanUnits.count(done)), text(" accesses measured", .dim)],
                    priority: 60
                )
            )
            return segments
        }
        let rate = sample.clients.reduce(0) { $0 + ($1.throughput.isFinite ? $1.throughput : 0) }
        let total = HumanUnits.rate(rate).dropLast(2)
        // As wide as it ever gets, so that nothing beside it moves.
        let padding = String(repeating: " ", count: max(0, 6 - total.utf8.count))
        segments.append(
            Segment(spans: [text(padding + total), text(" accesses/s", .dim)], priority: 60)
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

    /// The run's state, or that the display stands still.
    private var state: (mark: String, words: String, role: Role) {
        if history.cursor != nil, history.now < history.newestTime {
            let age = HumanUnits.seconds(history.newestTime - history.now)
            return ("‖", "\(age) BACK", .warning)
        }
        if isPaused { return ("‖", "PAUSED", .warning) }
        switch history.latest?.state {
        case nil: return ("·", "STARTING", .dim)
        case .preparing: return ("·", "PREPARING", .dim)
        case .running: return ("●", "LIVE", .ok)
        case .paused: return ("‖", "LOAD PAUSED", .warning)
        case .draining: return ("●", "DRAINING", .warning)
        case .finished: return ("■", "FINISHED", .accent)
        }
    }
}
