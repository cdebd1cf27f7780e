import TerminalUI

extension ScreenScene {
    /// Makes a part of the screen that shows ``seconds`` clickable, and marks the displayed earlier
    /// moment in it.
    func markTime(on canvas: inout Canvas, _ rect: Rect) {
        history.markTime(seconds, on: &canvas, rect)
    }
}
