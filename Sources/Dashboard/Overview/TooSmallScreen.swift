import TerminalUI

struct TooSmallScreen {
    /// The minimum size of the overview.
    static let minimumSize = Size(width: 40, height: 10)

    /// Draws the longest message that fits.
    func draw(on canvas: inout Canvas, in rect: Rect) {
        guard !rect.isEmpty else { return }
        let needed = Self.minimumSize
        let size = "\(needed.width)x\(needed.height)"
        let texts = [
            "Poolgauge needs \(size) cells; this terminal has \(rect.width)x\(rect.height).",
            "needs \(size), has \(rect.width)x\(rect.height)",
            "needs \(size)",
            size,
        ]
        for text in texts {
            let lines = TextWrapping.lines(of: text, width: rect.width)
            let fitsWidth = lines.allSatisfy { $0.utf8.count <= rect.width }
            guard fitsWidth, lines.count <= rect.height else { continue }
            let top = (rect.height - lines.count) / 2
            for (index, line) in lines.enumerated() {
                let row = rect.row(top + index)
                canvas.write(line, in: row, style: canvas.theme.style(.text), alignment: .center)
            }
            return
        }
    }
}
