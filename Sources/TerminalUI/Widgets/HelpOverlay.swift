/// A centered box with sections of keys or marks.
///
/// The box has two columns if they fit. If there are too few rows, the box scrolls.
package struct HelpOverlay: Sendable {
    package struct Entry: Sendable {
        package var term: Span
        package var meaning: String
        /// The meaning in narrow columns.
        package var short: String

        package init(term: Span, meaning: String, short: String) {
            self.term = term
            self.meaning = meaning
            self.short = short
        }
    }

    package struct Section: Sendable {
        package var title: String
        package var entries: [Entry]

        package init(title: String, entries: [Entry]) {
            self.title = title
            self.entries = entries
        }
    }

    package var title: String
    package var sections: [Section]
    /// An explanation of how to close the box.
    package var hint: String
    /// The index of the first displayed line.
    package var top: Int

    package init(title: String, sections: [Section], hint: String, top: Int = 0) {
        self.title = title
        self.sections = sections
        self.hint = hint
        self.top = top
    }

    private enum Line {
        case blank
        case title(String)
        case entry(Entry)
    }

    private struct Arrangement {
        var columns: [[Line]]
        var termWidth: Int
        /// The width of each column.
        var width: Int
        var isShort: Bool
        var height: Int { columns.map(\.count).max() ?? 0 }
    }

    /// Returns the first line of the last page on a screen of the given size, or 0 if all lines
    /// fit.
    package func lastTop(in size: Size, isASCII: Bool = false) -> Int {
        let inner = Size(width: size.width - 4, height: size.height - 2)
        return max(0, arrangement(in: inner, isASCII: isASCII).height - inner.height)
    }

    private func arrangement(in size: Size, isASCII: Bool) -> Arrangement {
        func width(of text: String) -> Int { CellText.width(of: text, isASCII: isASCII) }
        let entries = sections.flatMap(\.entries)
        let termWidth = entries.map { width(of: $0.term.text) }.max() ?? 0
        let meaningWidth = entries.map { width(of: $0.meaning) }.max() ?? 0
        let isShort = termWidth + meaningWidth + 3 > size.width
        let textWidth = isShort ? entries.map { width(of: $0.short) }.max() ?? 0 : meaningWidth
        let column = termWidth + textWidth + 3
        let count = column * 2 + 3 <= size.width ? 2 : 1
        let blocks = sections.map { section in
            [.blank, .title(section.title)] + section.entries.map { Line.entry($0) }
        }
        let lineCount = blocks.reduce(0) { $0 + $1.count }
        var columns: [[Line]] = [[]]
        for block in blocks {
            // Do not split sections. Start the second column where both columns have about the same
            // length.
            let filled = columns[columns.count - 1].count
            if columns.count < count, filled > 0, (filled + block.count / 2) * 2 > lineCount {
                columns.append([])
            }
            columns[columns.count - 1] += block
        }
        return Arrangement(
            columns: columns.map { Array($0.dropFirst()) },
            termWidth: termWidth,
            width: column,
            isShort: isShort
        )
    }

    package func draw(on canvas: inout Canvas, in rect: Rect) {
        guard rect.width >= 12, rect.height >= 3 else { return }
        let isASCII = canvas.glyphs == .ascii
        let room = Size(width: rect.width - 4, height: rect.height - 2)
        let lines = arrangement(in: room, isASCII: isASCII)
        let count = lines.columns.count
        let box = rect.centered(
            Size(width: lines.width * count + 3 * (count - 1) + 4, height: lines.height + 2)
        )
        canvas.fill(box, style: canvas.theme.style(.text))
        let firstLine = min(max(top, 0), max(0, lines.height - (box.height - 2)))
        let below = lines.height - firstLine - (box.height - 2)
        let moreText = "\(below) more \(below == 1 ? "line" : "lines") below"
        let more = below > 0 ? [Span(moreText, canvas.theme.style(.accent))] : []
        let legend = [more, [Span(hint, canvas.theme.style(.dim))]].filter { !$0.isEmpty }
        let inner = Panel(title: title, legend: legend).draw(on: &canvas, in: box)
        canvas.clipped(to: inner) { canvas in
            for (index, column) in lines.columns.enumerated() {
                let x = inner.minX + index * (lines.width + 3)
                for (row, line) in column.dropFirst(firstLine).prefix(inner.height).enumerated() {
                    draw(line, of: lines, x: x, y: inner.minY + row, on: &canvas)
                }
            }
        }
    }

    private func draw(
        _ line: Line,
        of lines: Arrangement,
        x: Int,
        y: Int,
        on canvas: inout Canvas
    ) {
        switch line {
        case .blank: break
        case .title(let title):
            canvas.write(title, x: x, y: y, style: canvas.theme.bold(.title), limit: lines.width)
        case .entry(let entry):
            canvas.write([entry.term], x: x + 1, y: y, limit: lines.termWidth)
            canvas.write(
                lines.isShort ? entry.short : entry.meaning,
                x: x + lines.termWidth + 3,
                y: y,
                style: canvas.theme.style(.text),
                limit: lines.width - lines.termWidth - 3
            )
        }
    }
}
