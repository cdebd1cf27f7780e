import TerminalUI

extension ScreenScene {
    /// Lets a part of the screen that shows ``seconds`` be clicked, and draws the moment that
    /// somebody went back to into it.
    func markTime(on canvas: inout Canvas, _ rect: Rect) {
        history.markTime(seconds, on: &canvas, rect)
    }
}

extension History {
    /// Lets a part of the screen that shows so many seconds be clicked, and draws the moment that
    /// somebody went back to into it.
    func markTime(_ seconds: Double, on canvas: inout Canvas, _ rect: Rect) {
        guard !rect.isEmpty, latest != nil else { return }
        let end = windowEnd(seconds)
        canvas.markTimes(rect, from: end - seconds, to: end)
        guard let share = cursorShare(seconds) else { return }
        let x = rect.minX + min(Int(share * Double(rect.width)), rect.width - 1)
        canvas.drawCursor(x: x, in: rect)
    }
}
