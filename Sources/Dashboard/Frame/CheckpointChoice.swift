import TerminalUI

/// The question how far a checkpoint shall go.
struct CheckpointChoice {
    /// The number of the answer that Enter gives.
    let selected: Int

    /// Draws the question over the screen.
    func draw(on canvas: inout Canvas, in rect: Rect) {
        let modes = DashboardAction.CheckpointMode.allCases
        let box = rect.centered(Size(width: 58, height: modes.count + 2))
        canvas.fill(box, style: canvas.theme.style(.text))
        let hint = [Span("first letter, or arrows and Enter; Esc closes", canvas.theme.style(.dim))]
        let inner = Panel(title: "Checkpoint the log", legend: [hint]).draw(on: &canvas, in: box)
        canvas.clipped(to: inner) { canvas in
            for (index, mode) in modes.enumerated() {
                let row = inner.row(index)
                let isSelected = index == selected
                let style = isSelected ? canvas.theme.bold(.accent) : canvas.theme.style(.text)
                let mark = isSelected ? ">" : " "
                canvas.write("\(mark) \(mode.rawValue)", x: row.minX, y: row.minY, style: style)
                canvas.write(
                    Self.meaning(of: mode),
                    x: row.minX + 11,
                    y: row.minY,
                    style: canvas.theme.style(.dim)
                )
            }
        }
    }

    private static func meaning(of mode: DashboardAction.CheckpointMode) -> String {
        switch mode {
        case .passive: "copies what it can, waits for nobody"
        case .full: "waits for the writer, copies all"
        case .restart: "waits for readers too: the log starts over"
        case .truncate: "cuts the log to nothing besides"
        }
    }
}
