/// A box in the middle of the screen: sections of what to press, or what marks mean.
package struct HelpOverlay: Sendable {
    /// A titled list of terms with their meaning.
    package struct Section: Sendable {
        /// Its title.
        package var title: String
        /// The terms, each with its meaning.
        package var entries: [(term: Span, meaning: String)]

        /// Creates a section.
        package init(title: String, entries: [(term: Span, meaning: String)]) {
            self.title = title
            self.entries = entries
        }
    }

    /// The box's title.
    package var title: String
    /// Its sections.
    package var sections: [Section]
    /// How to leave it.
    package var hint: String

    /// Creates an overlay.
    package init(title: String, sections: [Section], hint: String) {
        self.title = title
        self.sections = sections
        self.hint = hint
    }

    /// Draws the box over whatever is there.
    package func draw(on canvas: inout Canvas, in rect: Rect) {
        guard rect.width >= 12, rect.height >= 3 else { return }
        let terms = sections.flatMap(\.entries).map { canvas.width(of: $0.term.text) }.max() ?? 0
        let meanings = sections.flatMap(\.entries).map { canvas.width(of: $0.meaning) }.max() ?? 0
        let lines = sections.reduce(0) { $0 + $1.entries.count + 2 } - 1
        let box = rect.centered(Size(width: terms + meanings + 8, height: lines + 2))
        canvas.fill(box, style: canvas.theme.style(.text))
        let legend = [[Span(hint, canvas.theme.style(.dim))]]
        let inner = Panel(title: title, legend: legend).draw(on: &canvas, in: box)
        canvas.clipped(to: inner) { canvas in
            var y = inner.minY
            // Where not everything fits, the titles go first: the keys are what matters.
            let isTight = lines > inner.height
            for section in sections {
                if !isTight {
                    let style = canvas.theme.style(.dim)
                    canvas.write(section.title, x: inner.minX, y: y, style: style)
                    y += 1
                }
                for entry in section.entries {
                    let term = Rect(x: inner.minX + 1, y: y, width: terms, height: 1)
                    canvas.write([entry.term], x: term.minX, y: y, limit: terms)
                    canvas.write(
                        entry.meaning,
                        x: term.maxX + 2,
                        y: y,
                        style: canvas.theme.style(.text),
                        limit: inner.maxX - term.maxX - 2
                    )
                    y += 1
                }
                if !isTight { y += 1 }
            }
        }
    }
}
