import TerminalUI

/// The help of the watch dashboard: every key, and what the marks of the lanes mean.
struct WatchHelp {
    let keys: WatchKeys
    /// The first line that is shown.
    let top: Int

    /// Draws the help over the screen.
    func draw(on canvas: inout Canvas, in rect: Rect) {
        overlay(theme: canvas.theme, glyphs: canvas.glyphs).draw(on: &canvas, in: rect)
    }

    /// The last line that the help can begin with in a terminal of this size.
    func lastTop(in size: Size) -> Int {
        overlay(theme: .standard, glyphs: .braille).lastTop(in: size)
    }

    private func overlay(theme: Theme, glyphs: GlyphSet) -> HelpOverlay {
        let sections = WatchCommand.Purpose.allCases.map { purpose in
            keys.helpSection(purpose.rawValue, theme: theme) { $0.purpose == purpose }
        }
        let states = WatchLaneState.allCases.filter { $0 != .absent }.map { state in
            let mark = state.mark
            return HelpOverlay.Entry(
                term: Span(mark.text(in: glyphs), theme.style(mark.role)),
                meaning: state.meaning,
                short: state.words
            )
        }
        let close = keys.key(for: .common(.back))?.label ?? "Esc"
        return HelpOverlay(
            title: "Help",
            sections: sections + [
                .init(title: "Marks in the lanes of processes", entries: states)
            ],
            hint: "\(close) closes; a click on a key, a row, a title or a chart works too",
            top: top
        )
    }
}
