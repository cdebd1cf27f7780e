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
