import TerminalUI

/// The help: every key, and what the marks of the lanes mean.
struct KeyHelp {
    /// Draws the help over the screen.
    func draw(on canvas: inout Canvas, in rect: Rect) {
        let theme = canvas.theme
        let keys = DashboardCommand.bindings.map { binding in
            let labels = binding.keys.map(\.label).joined(separator: " ")
            return HelpOverlay.Entry(
                term: Span(labels, theme.bold(.accent)),
                meaning: binding.help,
                short: binding.name
            )
        }
        let states = LaneState.allCases.filter { $0 != .absent }.map { state in
            let mark = state.mark
            let glyph = mark.text(in: canvas.glyphs)
            return HelpOverlay.Entry(
                term: Span(glyph, theme.style(mark.role)),
                meaning: state.meaning,
                short: state.words
            )
        }
        HelpOverlay(
            title: "Help",
            sections: [
                HelpOverlay.Section(title: "Keys", entries: keys),
                HelpOverlay.Section(title: "Marks in the lanes of connections", entries: states),
            ],
            hint: "Esc closes"
        ).draw(on: &canvas, in: rect)
    }
}
