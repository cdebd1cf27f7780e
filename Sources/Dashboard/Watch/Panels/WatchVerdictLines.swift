import Findings
import SQLiteWatch
import TerminalUI

/// The first finding and, if there is room, its remedy.
struct WatchVerdictLines {
    let report: WatchReport

    /// Returns the height on a screen of the given size.
    ///
    /// The height does not depend on the text, so the rows below do not move when the text changes.
    static func track(in size: Size) -> Track {
        // On a narrow screen, the text needs one more row.
        let rows = size.height < 12 ? 1 : size.height < 20 ? 2 : size.width < 100 ? 5 : 4
        return Track(minimum: min(rows, 4), ideal: rows, maximum: max(rows, 4), priority: 99)
    }

    func draw(on canvas: inout Canvas, in rect: Rect) {
        guard !rect.isEmpty else { return }
        let (glyph, role) = mark
        let style = canvas.theme.bold(role)
        canvas.write(glyph, x: rect.minX + 1, y: rect.minY, style: style)
        let room = rect.width - 4
        var spans = TextWrapping.lines(of: text, width: room).map { Span($0, style) }
        if let remedy = report.verdict.remedy {
            let arrow = canvas.glyphs == .ascii ? "-> " : "→ "
            let lines = TextWrapping.lines(of: arrow + remedy, width: room)
            // Show the remedy only if it fits completely.
            if spans.count + lines.count <= rect.height {
                spans += lines.map { Span($0, canvas.theme.style(.text)) }
            }
        }
        for (index, span) in spans.prefix(rect.height).enumerated() {
            let isTruncated = index == rect.height - 1 && spans.count > rect.height
            // Append the next span so that the text is truncated with an ellipsis.
            let text = isTruncated ? span.text + " " + spans[index + 1].text : span.text
            canvas.write(
                text,
                x: rect.minX + 3,
                y: rect.minY + index,
                style: span.style,
                limit: room
            )
        }
    }

    private var text: String {
        let more = report.findings.count - 1
        guard more > 0 else { return report.verdict.text }
        return report.verdict.text + " (\(more) more: see Episodes)"
    }

    /// The mark, with glyphs that are also distinct in ASCII.
    private var mark: (String, Role) {
        switch report.verdict.level {
        case .nothing: ("✔", .ok)
        case .alarm: ("✖", .error)
        case .warning: ("▲", .warning)
        case .note: ("•", .text)
        }
    }
}
