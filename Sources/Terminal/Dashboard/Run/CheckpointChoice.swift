import TerminalUI

/// The dialog for choosing a checkpoint mode.
struct CheckpointChoice {
    let selected: Int

    func draw(on canvas: inout Canvas, in rect: Rect) {
        let modes = DashboardAction.CheckpointMode.allCases
        let box = rect.centered(Size(width: 58, height: modes.count + 2))
        canvas.fill(box, style: canvas.theme.style(.text))
        let hint = [
            Span("first letter, or arrows and Enter; Esc cancels", canvas.theme.style(.dim))
        ]
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
        case .passive: "copies as much as possible without waiting"
        case .full: "waits for the writer and copies everything"
        case .restart: "also waits for readers and resets the log"
        case .truncate: "also truncates the log file to zero bytes"
        }
    }
}
