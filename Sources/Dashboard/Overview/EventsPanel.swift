import Telemetry
import TerminalUI
import Text

struct EventsPanel {
    let history: History

    func draw(on canvas: inout Canvas, in rect: Rect) {
        let inner = Panel(title: "Events", remark: "newest first").draw(on: &canvas, in: rect)
        ticker(theme: canvas.theme, count: inner.height).draw(on: &canvas, in: inner)
    }

    /// Draws only the newest event.
    func drawNewest(on canvas: inout Canvas, in row: Rect) {
        ticker(theme: canvas.theme, count: 1).draw(on: &canvas, in: row)
    }

    private func ticker(theme: Theme, count: Int) -> Ticker {
        let lines = history.newestEvents(count).map { event in
            let (glyph, role): (String, Role) =
                switch event.severity {
                case .info: ("·", .accent)
                case .warning: ("▲", .warning)
                case .error: ("✖", .error)
                }
            return Ticker.Line(
                time: HumanUnits.seconds(event.time),
                mark: Span(glyph, theme.style(role)),
                message: event.message
            )
        }
        return Ticker(lines: lines, placeholder: "no events yet")
    }
}
