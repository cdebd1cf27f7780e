import SQLiteWatch
import TerminalUI
import Text

/// The first row of the watch dashboard, with facts about the database.
struct WatchHeader {
    let dashboard: WatchDashboard

    func draw(on canvas: inout Canvas, in row: Rect) {
        HeaderBar(
            segments: segments(theme: canvas.theme, width: row.width),
            state: state,
            isRecording: dashboard.isRecording
        ).draw(on: &canvas, in: row)
    }

    private func segments(theme: Theme, width: Int) -> [HeaderBar.Segment] {
        func text(_ text: String, _ role: Role = .text) -> Span { Span(text, theme.raised(role)) }
        func bold(_ text: String, _ role: Role) -> Span {
            var style = theme.raised(role)
            style.attributes.insert(.bold)
            return Span(text, style)
        }
        var segments = [HeaderBar.Segment(spans: [bold("poolgauge top", .accent)], priority: 30)]
        guard let history = dashboard.history, let report = history.report else { return segments }
        let file = report.file
        func add(_ spans: [Span], _ priority: Int) {
            segments.append(HeaderBar.Segment(spans: spans, priority: priority))
        }
        var name = WatchLabels.name(ofPath: history.path)
        // A long name must not displace the state.
        if name.count > width / 3 { name = "…" + name.suffix(max(8, width / 3)) }
        add([bold(name, .title)], 90)
        if dashboard.displayedDatabases.count > 1 {
            add(
                [
                    text(
                        "\(dashboard.displayedIndex + 1)/\(dashboard.displayedDatabases.count)",
                        .dim
                    )
                ],
                45
            )
        }
        add([text(WatchLabels.mode(file), file.state == .present ? .text : .warning)], 80)
        guard file.state == .present else { return segments }
        if let bytes = file.bytes { add([text(HumanUnits.bytes(bytes))], 40) }
        let isUnknown = report.wal.map { $0.commits == nil } ?? false
        let rate = isUnknown ? "?" : HumanUnits.rate(history.rate(\.commits)).dropLast(2)
        let padding = String(repeating: " ", count: max(0, 5 - rate.utf8.count))
        let noun = report.wal == nil ? " transactions/s" : " commits/s"
        add([text(padding + rate), text(noun, .dim)], 70)
        let count = report.processes.count
        add([text("\(count)"), text(count == 1 ? " process" : " processes", .dim)], 60)
        return segments
    }

    private var state: (mark: String, text: String, role: Role) {
        if let history = dashboard.history, history.cursor != nil,
            history.now < history.newestTime
        {
            let age = HumanUnits.seconds(history.newestTime - history.now)
            return ("‖", "\(age) AGO", .warning)
        }
        if dashboard.isPaused { return ("‖", "FROZEN", .warning) }
        if dashboard.history == nil { return ("·", "STARTING", .dim) }
        return ("●", dashboard.replayKeys == nil ? "LIVE" : "REPLAY", .ok)
    }
}
