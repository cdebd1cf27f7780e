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
