/// A box in the middle of the screen: sections of what to press, or what marks mean.
package struct HelpOverlay: Sendable {
    /// A term with its meaning.
    package struct Entry: Sendable {
        /// The term, as it looks on the screen.
        package var term: Span
        /// What it means.
        package var meaning: String
        /// What it means in a word or two, where there is little room.
        package var short: String

        /// Creates an entry.
        package init(term: Span, meaning: String, short: String) {
            self.term = term
            self.meaning = meaning
            self.short = short
        }
    }

    /// A titled list of terms with their meaning.
    package struct Section: Sendable {
        /// Its title.
        package var title: String
        /// The terms.
        package var entries: [Entry]

        /// Creates a section.
        package init(title: String, entries: [Entry]) {
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

    /// Draws the box over whatever is there; in short, and without titles, where it is tight.
    package func draw(on canvas: inout Canvas, in rect: Rect) {
        guard rect.width >= 12, rect.height >= 3 else { return }
        let entries = sections.flatMap(\.entries)
        let terms = entries.map { canvas.width(of: $0.term.text) }.max() ?? 0
        let meanings = entries.map { canvas.width(of: $0.meaning) }.max() ?? 0
        let lines = sections.reduce(0) { $0 + $1.entries.count + 2 } - 1
        let wanted = Size(width: terms + meanings + 7, height: lines + 2)
        let isTight = wanted.height > rect.height || wanted.width > rect.width
        let box = isTight ? rect : rect.centered(wanted)
        canvas.fill(box, style: canvas.theme.style(.text))
        let legend = [[Span(hint, canvas.theme.style(.dim))]]
        let inner = Panel(title: title, legend: legend).draw(on: &canvas, in: box)
        canvas.clipped(to: inner) { canvas in
            if isTight {
                drawShort(entries, terms: terms, on: &canvas, in: inner)
            } else {
                drawSections(terms: terms, on: &canvas, in: inner)
            }
        }
    }

    private func drawSections(terms: Int, on canvas: inout Canvas, in inner: Rect) {
        var y = inner.minY
        let text = canvas.theme.style(.text)
        for section in sections {
            canvas.write(section.title, x: inner.minX, y: y, style: canvas.theme.style(.dim))
            y += 1
            for entry in section.entries {
                canvas.write([entry.term], x: inner.minX + 1, y: y, limit: terms)
                canvas.write(entry.meaning, x: inner.minX + terms + 3, y: y, style: text)
                y += 1
            }
            y += 1
        }
    }

    /// The entries in columns, one below the other, as many as there are whole columns for.
    private func drawShort(
        _ entries: [Entry],
        terms: Int,
        on canvas: inout Canvas,
        in inner: Rect
    ) {
        let meanings = entries.map { canvas.width(of: $0.short) }.max() ?? 0
        let width = terms + meanings + 1
        let text = canvas.theme.style(.text)
        for (index, entry) in entries.enumerated() where inner.height > 0 {
            let x = inner.minX + index / inner.height * (width + 1)
            guard x == inner.minX || x + width <= inner.maxX else { return }
            let y = inner.minY + index % inner.height
            canvas.write([entry.term], x: x, y: y, limit: terms)
            canvas.write(entry.short, x: x + terms + 1, y: y, style: text)
        }
    }
}
