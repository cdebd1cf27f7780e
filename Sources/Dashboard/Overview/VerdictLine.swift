import TerminalUI

/// The verdict below the header, as a mark and a sentence.
struct VerdictLine {
    let verdict: Verdict

    /// Returns the height of the verdict: two rows on a narrow, tall screen, and one row otherwise.
    ///
    /// The height does not depend on the verdict, so the rows below do not move when the verdict
    /// changes.
    static func track(in size: Size) -> Track {
        Track.fixed(size.width < 110 && size.height >= 25 ? 2 : 1, priority: 99)
    }

    /// Draws the mark and as much of the sentence as fits.
    func draw(on canvas: inout Canvas, in rect: Rect) {
        let (glyph, role) = verdict.level.mark
        let style = canvas.theme.bold(role)
        canvas.write(glyph, x: rect.minX + 1, y: rect.minY, style: style)
        let room = rect.width - 4
        let isASCII = canvas.glyphs == .ascii
        let text = verdict.text(
            fitting: room * rect.height - (rect.height > 1 ? 8 : 0),
            isASCII: isASCII
        )
        let lines = rect.height == 1 ? [text] : TextWrapping.lines(of: text, width: room)
        for (index, line) in lines.prefix(rect.height).enumerated() {
            canvas.write(line, x: rect.minX + 3, y: rect.minY + index, style: style, limit: room)
        }
    }
}
