import Telemetry
import TerminalUI
import Text

/// The panels for an earlier displayed moment: the holders, their SQL, and the waiters.
struct MomentPanels {
    let history: History

    private var time: String { HumanUnits.seconds(history.now) }

    private var heldConnections: [ConnectionStatus] {
        (history.displayedSample?.database.connections ?? [])
            .filter { $0.state != .idle }
            .sorted { ($0.heldNanoseconds ?? 0) > ($1.heldNanoseconds ?? 0) }
    }

    private var waiters: [WaitingAccess] {
        history.displayedSample.map { WaitingAccess.all(in: $0.database) } ?? []
    }

    func draw(on canvas: inout Canvas, in rect: Rect) {
        let widths = Track.lengths(
            of: [
                Track(minimum: 40, ideal: 70, priority: 9, flex: 2),
                Track(minimum: 28, ideal: 40, maximum: 60, priority: 8, flex: 1),
            ],
            available: rect.width
        )
        let columns = rect.columns(widths)
        drawHeld(on: &canvas, in: columns[0])
        drawWaiting(on: &canvas, in: columns[1])
    }

    /// Draws a one-row summary on a screen that has no room for the panels.
    func drawLine(on canvas: inout Canvas, in row: Rect) {
        let theme = canvas.theme
        var spans = [Span("at \(time) ", theme.bold(.accent))]
        if let first = heldConnections.first {
            let age = first.heldNanoseconds.map(HumanUnits.duration) ?? ""
            spans.append(Span("\(Self.description(of: first)) \(age)", theme.bold(.text)))
            spans.append(Span("  \(first.sql ?? "")", theme.style(.text)))
        } else {
            spans.append(Span("no connection was held", theme.style(.dim)))
        }
        let room = row.width - 16
        let waiterCount = HumanUnits.counted(waiters.count, "waited", "waited")
        canvas.write(spans, x: row.minX, y: row.minY, limit: room)
        canvas.write(waiterCount, in: row, style: theme.style(.waiting), alignment: .trailing)
    }

    private static func description(of connection: ConnectionStatus) -> String {
        let name = connection.holder?.name ?? connection.label
        return "\(name) held \(Lane.shortLabel(connection.label, role: connection.role))"
    }

    private func drawHeld(on canvas: inout Canvas, in rect: Rect) {
        let theme = canvas.theme
        let held = heldConnections
        let inner = Panel(title: "Held at \(time)", remark: "longest first; Esc: live view")
            .draw(on: &canvas, in: rect)
        if held.isEmpty {
            let style = theme.style(.dim)
            canvas.write(
                "no connection was held",
                in: inner.row(0),
                style: style,
                alignment: .leading
            )
        }
        for (index, connection) in held.prefix(inner.height).enumerated() {
            let row = inner.row(index)
            let state = LaneState(connection)
            let age = connection.heldNanoseconds.map(HumanUnits.duration) ?? ""
            let head = [
                Span(state.mark.text(in: canvas.glyphs), theme.style(state.mark.role)),
                Span(" \(Self.description(of: connection)) ", theme.bold(.text)),
                Span(age, theme.style(.warning)),
                Span("  \(connection.sql ?? state.label)", theme.style(.text)),
            ]
            canvas.write(head, x: row.minX, y: row.minY, limit: row.width)
        }
    }

    private func drawWaiting(on canvas: inout Canvas, in rect: Rect) {
        let theme = canvas.theme
        let waiting = waiters
        let inner = Panel(title: "Waiting at \(time)", remark: "\(waiting.count)")
            .draw(on: &canvas, in: rect)
        if waiting.isEmpty {
            canvas.write(
                history.hidesWaits ? "unknown" : "no waiters",
                in: inner.row(0),
                style: theme.style(history.hidesWaits ? .dim : .ok),
                alignment: .leading
            )
        }
        let fitsCompletely = waiting.count <= inner.height
        let shown = fitsCompletely ? waiting.count : max(0, inner.height - 1)
        for (index, waiter) in waiting.prefix(shown).enumerated() {
            let row = inner.row(index)
            let age = HumanUnits.duration(nanoseconds: waiter.status.waitedNanoseconds)
            canvas.write(age, in: row, style: theme.bold(.waiting), alignment: .trailing)
            let text = "\(waiter.status.origin.name) for \(waiter.resource.rawValue)"
            let room = row.width - canvas.width(of: age) - 1
            let style = theme.style(.text)
            canvas.write(text, x: row.minX, y: row.minY, style: style, limit: room)
        }
        guard !fitsCompletely, inner.height > 0 else { return }
        let more = "and \(waiting.count - shown) more"
        canvas.write(more, in: inner.row(shown), style: theme.style(.dim), alignment: .leading)
    }
}
