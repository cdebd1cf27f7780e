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

/// A border with a title, a remark on the right, and a legend at the bottom.
package struct Panel: Sendable {
    package var title: String
    /// Text after the title and a separator, shown only if it fits.
    package var subtitle: String
    /// The text on the right of the upper border.
    package var remark: String
    /// The entries of the legend in the lower border.
    package var legend: [[Span]]

    package init(
        title: String,
        subtitle: String = "",
        remark: String = "",
        legend: [[Span]] = []
    ) {
        self.title = title
        self.subtitle = subtitle
        self.remark = remark
        self.legend = legend
    }

    /// Draws the border and returns the interior, excluding a one-column margin on each side.
    @discardableResult
    package func draw(on canvas: inout Canvas, in rect: Rect) -> Rect {
        guard rect.width >= 4, rect.height >= 2 else {
            return Rect(x: 0, y: 0, width: 0, height: 0)
        }
        let border = canvas.glyphs.border
        let style = canvas.theme.style(.border)
        let bottom = rect.maxY - 1
        let right = rect.maxX - 1
        for x in (rect.minX + 1)..<right {
            canvas.put(border.horizontal, x: x, y: rect.minY, style: style)
            canvas.put(border.horizontal, x: x, y: bottom, style: style)
        }
        for y in (rect.minY + 1)..<max(rect.minY + 1, bottom) {
            canvas.put(border.vertical, x: rect.minX, y: y, style: style)
            canvas.put(border.vertical, x: right, y: y, style: style)
        }
        canvas.put(border.corners.0, x: rect.minX, y: rect.minY, style: style)
        canvas.put(border.corners.1, x: right, y: rect.minY, style: style)
        canvas.put(border.corners.2, x: rect.minX, y: bottom, style: style)
        canvas.put(border.corners.3, x: right, y: bottom, style: style)
        drawTitles(on: &canvas, in: rect)
        drawLegend(on: &canvas, in: rect)
        return rect.inset(horizontal: 2, vertical: 1)
    }

    private func drawTitles(on canvas: inout Canvas, in rect: Rect) {
        let first = rect.minX + 2
        let room = rect.width - 4
        var used = canvas.write(
            " \(title) ",
            x: first,
            y: rect.minY,
            style: canvas.theme.bold(.title),
            limit: room
        )
        let remarkWidth = remark.isEmpty ? 0 : canvas.width(of: remark) + 2
        if remarkWidth > 0, used + remarkWidth + 1 <= room {
            canvas.write(
                " \(remark) ",
                x: rect.maxX - 2 - remarkWidth,
                y: rect.minY,
                style: canvas.theme.style(.dim)
            )
            used += remarkWidth + 1
        }
        let subtitle = (canvas.glyphs == .ascii ? "- " : "· ") + self.subtitle
        if !self.subtitle.isEmpty, used + canvas.width(of: subtitle) + 1 <= room {
            canvas.write(
                "\(subtitle) ",
                x: first + canvas.width(of: title) + 2,
                y: rect.minY,
                style: canvas.theme.style(.dim)
            )
        }
    }

    /// Draws the legend entries that fit completely.
    private func drawLegend(on canvas: inout Canvas, in rect: Rect) {
        var x = rect.minX + 2
        let end = rect.maxX - 2
        for entry in legend {
            let width = canvas.width(of: entry) + 2
            guard x + width <= end else { return }
            canvas.write(" ", x: x, y: rect.maxY - 1, style: canvas.theme.style(.text))
            canvas.write(entry, x: x + 1, y: rect.maxY - 1)
            canvas.write(" ", x: x + width - 1, y: rect.maxY - 1, style: canvas.theme.style(.text))
            x += width + 1
        }
    }
}

extension Canvas {
    /// Marks the panel in a rectangle as selected.
    ///
    /// The border becomes bold in the accent color. The title is reversed, which is visible without
    /// colors.
    package mutating func focus(_ rect: Rect) {
        guard rect.width >= 4, rect.height >= 1 else { return }
        let accent = theme.bold(.accent)
        guard surface[rect.minX, rect.minY].character == glyphs.border.corners.0 else {
            // The panel has no border, so mark its first row.
            put(glyphs == .ascii ? ">" : "▶", x: rect.minX, y: rect.minY, style: accent)
            return
        }
        let border = theme.style(.border)
        let title = theme.bold(.title)
        var edge = (rect.minX..<rect.maxX).flatMap { x in
            [Point(x: x, y: rect.minY), Point(x: x, y: rect.maxY - 1)]
        }
        edge += (rect.minY..<rect.maxY).flatMap { y in
            [Point(x: rect.minX, y: y), Point(x: rect.maxX - 1, y: y)]
        }
        for point in edge {
            restyle(x: point.x, y: point.y) { style in
                if style == border {
                    style = accent
                } else if point.y == rect.minY, style == title {
                    style.attributes.insert(.reverse)
                }
            }
        }
    }
}
