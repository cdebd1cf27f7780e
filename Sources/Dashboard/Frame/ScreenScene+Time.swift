import TerminalUI

extension ScreenScene {
    /// Makes an area that shows the last ``seconds`` clickable, and marks the displayed earlier
    /// moment.
    func markTime(on canvas: inout Canvas, _ rect: Rect) {
        history.markTime(seconds, on: &canvas, rect)
    }
}
