import TerminalUI

extension ScreenScene {
    /// Lets a part of the screen that shows ``seconds`` be clicked, and draws the moment that
    /// somebody went back to into it.
    func markTime(on canvas: inout Canvas, _ rect: Rect) {
        history.markTime(seconds, on: &canvas, rect)
    }
}
