import TerminalUI

/// The last rows of a replay: the position, the speed, and the keys.
package struct ReplayBar {
    let controls: ReplayControls
    /// The local time at the position.
    let clockTime: String

    package init(controls: ReplayControls, clockTime: String) {
        self.controls = controls
        self.clockTime = clockTime
    }

    /// Returns the number of rows.
    package static func height(in size: Size) -> Int { size.height >= 30 ? 2 : 1 }

    /// Returns the key at a position in the bar, if any.
    package func key(at point: Point, size: Size, theme: Theme, glyphs: GlyphSet) -> Key? {
        if case .key(let key)? = canvas(size, theme, glyphs).target(at: point) { key } else { nil }
    }

    /// Draws the bar below a dashboard.
    package func surface(
        below content: Surface,
        size: Size,
        theme: Theme,
        glyphs: GlyphSet
    ) -> Surface {
        var surface = canvas(size, theme, glyphs).surface
        for y in 0..<content.size.height {
            for x in 0..<content.size.width { surface[x, y] = content[x, y] }
        }
        return surface
    }

    private func canvas(_ size: Size, _ theme: Theme, _ glyphs: GlyphSet) -> Canvas {
        var canvas = Canvas(size: size, theme: theme, glyphs: glyphs)
        let height = Self.height(in: size)
        guard size.height > height else { return canvas }
        var rows = canvas.bounds.rows([size.height - height] + Array(repeating: 1, count: height))
            .dropFirst()
        if let row = rows.popFirst() { drawPosition(on: &canvas, in: row) }
        if let row = rows.popFirst() { KeyBar(items: items).draw(on: &canvas, in: row) }
        return canvas
    }

    private func drawPosition(on canvas: inout Canvas, in row: Rect) {
        if let prompt = controls.prompt {
            Prompt(
                label: "go to",
                text: prompt.text,
                hints: [
                    "10m, -5m (before the end), or 02:13; Enter confirms, Esc cancels",
                    "10m, -5m (before the end), or 02:13",
                ],
                problem: prompt.problem
            ).draw(on: &canvas, in: row)
            return
        }
        let theme = canvas.theme
        canvas.fill(row, style: theme.raised(.text))
        var bold = theme.raised(controls.clock.isPlaying ? .ok : .warning)
        bold.attributes.insert(.bold)
        let x =
            row.minX
            + canvas.write(
                [
                    Span(" \(state) ", bold), Span(position + "  ", theme.raised(.text)),
                    Span(clockTime + "  ", theme.raised(.dim)),
                ],
                x: row.minX,
                y: row.minY,
                limit: row.width
            )
        if let message = controls.message {
            let style = theme.raised(message.isWarning ? .warning : .text)
            canvas.write(message.text, x: x, y: row.minY, style: style, limit: row.maxX - x - 1)
        } else {
            drawProgress(on: &canvas, from: x, to: row.maxX - 1, y: row.minY)
        }
    }

    private func drawProgress(on canvas: inout Canvas, from start: Int, to end: Int, y: Int) {
        let width = end - start
        guard width >= 5 else { return }
        let isASCII = canvas.glyphs == .ascii
        let mark = min(Int(controls.clock.progress * Double(width - 1)), width - 1)
        for offset in 0..<width {
            let glyph = offset == mark ? (isASCII ? "o" : "●") : (isASCII ? "-" : "─")
            let role: Role = offset <= mark ? .accent : .dim
            canvas.put(glyph, x: start + offset, y: y, style: canvas.theme.raised(role))
        }
    }

    private var state: String {
        let speed = "\(Int(controls.clock.speed))x"
        if controls.clock.isPlaying { return "PLAYING " + speed }
        return (controls.clock.isAtEnd ? "END " : "PAUSED ") + speed
    }

    private var position: String {
        let clock = controls.clock
        return Self.text(clock.position - clock.range.lowerBound) + " of "
            + Self.text(clock.range.upperBound - clock.range.lowerBound)
    }

    /// Returns text such as `1:02:03` for a number of milliseconds.
    private static func text(_ milliseconds: Int64) -> String {
        let seconds = milliseconds / 1000
        func twoDigits(_ number: Int64) -> String { (number < 10 ? "0" : "") + String(number) }
        return "\(seconds / 3600):\(twoDigits(seconds / 60 % 60)):\(twoDigits(seconds % 60))"
    }

    private var items: [KeyBar.Item] {
        controls.keys.bindings.compactMap { binding in
            guard let priority = binding.priority, let key = binding.keys.first else { return nil }
            return KeyBar.Item(
                key: key.label,
                name: binding.name,
                priority: priority,
                target: key
            )
        }.sortedByPriority()
    }
}
