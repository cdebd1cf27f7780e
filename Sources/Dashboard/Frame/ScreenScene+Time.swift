import TerminalUI

extension ScreenScene {
    /// Makes an area that shows ``seconds`` clickable, and marks the displayed earlier moment in
    /// it.
    func markTime(on canvas: inout Canvas, _ rect: Rect) {
        history.markTime(seconds, on: &canvas, rect)
    }
}
