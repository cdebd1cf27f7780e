import TerminalUI

/// The input of a screen: the data, the time window, and the user's selection.
struct ScreenScene: Sendable {
    let history: History
    /// The time window of lanes and charts, in seconds.
    let seconds: Double
    let view: ListView
    /// The keys to mention in hints.
    var keys = DashboardKeys.standard
    /// Requested values of settings that no sample has confirmed yet, keyed by setting name.
    var requestedSettings: [String: Double] = [:]

    /// The index of the expanded part in ``RunScreen/parts``, or `nil` to show all parts.
    var expandedPart: Int? { view.isExpanded ? view.part : nil }

    /// Marks the panel in a rectangle if its part is selected.
    func markPart(_ part: Int, on canvas: inout Canvas, in rect: Rect) {
        if view.part == part { canvas.focus(rect) }
    }
}

extension ScreenScene {
    /// Makes a chart that spans ``seconds`` clickable, and marks the displayed moment if it is not
    /// the newest.
    func markTime(on canvas: inout Canvas, in rect: Rect) {
        history.markTime(seconds, on: &canvas, in: rect)
    }
}
