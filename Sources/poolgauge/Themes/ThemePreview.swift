import TerminalUI

/// A picture of a theme's roles and gradients.
struct ThemePreview {
    let theme: Theme

    /// Sample text for each role, similar to the dashboard's text.
    private static let samples: [Role: String] = [
        .text: "ordinary text", .dim: "units and hints", .border: "╭─ border ─╮",
        .title: "Title", .accent: "q quit", .track: "··········", .ok: "✔ all is well",
        .warning: "▲ unusual", .error: "✖ failed", .reader: "reader-1",
        .writer: "writer", .snapshot: "snapshot-1", .waiting: "3 waiting", .limit: "max 4",
        .running: "● running SQL", .held: "◆ held, no SQL", .committing: "▼ committing",
        .locked: "✖ waits for a lock", .opening: "○ opening", .idle: "· idle",
    ]

    func surface(glyphs: GlyphSet) -> Surface {
        let roles = Role.allCases.filter { Self.samples[$0] != nil }
        let rows = (roles.count + 1) / 2
        let size = Size(width: 78, height: rows + GradientRole.allCases.count + 6)
        var canvas = Canvas(size: size, theme: theme, glyphs: glyphs)
        let frame = Panel(title: theme.name, remark: "theme").draw(on: &canvas, in: canvas.bounds)
        canvas.write(
            theme.summary,
            in: frame.row(0),
            style: theme.style(.dim),
            alignment: .leading
        )
        let columns = frame.dropping(rows: 2).columns([frame.width / 2, frame.width / 2])
        for (index, role) in roles.enumerated() {
            draw(role, on: &canvas, in: columns[index / rows].row(index % rows))
        }
        for (index, gradient) in GradientRole.allCases.enumerated() {
            draw(gradient, on: &canvas, in: frame.row(rows + 3 + index))
        }
        return canvas.surface
    }

    private func draw(_ role: Role, on canvas: inout Canvas, in row: Rect) {
        let name = theme.style(.dim)
        canvas.write(role.rawValue, in: row, style: name, alignment: .leading)
        let sample = Self.samples[role] ?? ""
        let displayedSample = canvas.glyphs == .ascii ? sample.filter(\.isASCII) : sample
        canvas.write(
            [Span(displayedSample, theme.style(role))],
            x: row.minX + 12,
            y: row.minY,
            limit: 22
        )
    }

    private func draw(_ gradient: GradientRole, on canvas: inout Canvas, in row: Rect) {
        canvas.write(gradient.rawValue, in: row, style: theme.style(.dim), alignment: .leading)
        let glyph = canvas.glyphs == .ascii ? "#" : "█"
        let width = row.width - 12
        for step in 0..<max(width, 0) {
            let share = Double(step) / Double(max(width - 1, 1))
            let style = theme.style(gradient, at: share)
            canvas.put(glyph, x: row.minX + 12 + step, y: row.minY, style: style)
        }
    }
}

extension Rect {
    fileprivate func dropping(rows: Int) -> Rect {
        Rect(x: minX, y: minY + rows, width: width, height: max(0, height - rows))
    }
}
