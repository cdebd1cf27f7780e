import TerminalUI

extension ScreenScene {
    /// Makes a chart that spans ``seconds`` clickable, and marks the displayed moment if it is not
    /// the newest.
    func markTime(on canvas: inout Canvas, _ rect: Rect) {
        history.markTime(seconds, on: &canvas, rect)
    }
}
