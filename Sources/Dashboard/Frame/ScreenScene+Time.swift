import TerminalUI

extension ScreenScene {
    /// Makes an area clickable that shows the last ``seconds``, and marks the displayed earlier
    /// moment.
    func markTime(on canvas: inout Canvas, _ rect: Rect) {
        history.markTime(seconds, on: &canvas, rect)
    }
}
