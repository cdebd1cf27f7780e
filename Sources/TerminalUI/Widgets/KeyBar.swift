/// The last row of a screen: keys with what they do, and a remark at its right end.
package struct KeyBar: Sendable {
    /// One key with its short name.
    package struct Item: Sendable, Equatable {
        /// The key, as it is written on it.
        package var key: String
        /// What it does, in a word or two.
        package var name: String
        /// The lowest gives way first.
        package var priority: Int

        /// Creates an item.
        package init(key: String, name: String, priority: Int = 0) {
            self.key = key
            self.name = name
            self.priority = priority
        }
    }

    /// The keys.
    package var items: [Item]
    /// What stands at the right end.
    package var remark: String
    /// When the remark gives way.
    package var remarkPriority: Int

    /// Creates a bar.
    package init(items: [Item], remark: String = "", remarkPriority: Int = 0) {
        self.items = items
        self.remark = remark
        self.remarkPriority = remarkPriority
    }

    /// The columns of each key with its name, and of the remark; 0 for what does not fit.
    private func widths(on canvas: Canvas, in row: Rect, gap: Int) -> [Int] {
        let remarkWidth = remark.isEmpty ? 0 : canvas.width(of: remark) + 1
        let tracks =
            items.map { item in
                let width = canvas.width(of: item.key) + canvas.width(of: item.name) + gap
                return Track.fixed(width, priority: item.priority)
            } + [Track.fixed(remarkWidth, priority: remarkPriority)]
        return Track.lengths(of: tracks, available: row.width)
    }

    /// Draws the keys that fit into the row, the important ones first.
    package func draw(on canvas: inout Canvas, in row: Rect) {
        canvas.fill(row, style: canvas.theme.raised(.text))
        var widths = widths(on: canvas, in: row, gap: 3)
        // Closer together before one of them goes.
        if widths.dropLast().contains(0) { widths = self.widths(on: canvas, in: row, gap: 2) }
        var x = row.minX
        for (item, width) in zip(items, widths) where width > 0 {
            var style = canvas.theme.raised(.accent)
            style.attributes.insert(.bold)
            let key = canvas.write(" \(item.key) ", x: x, y: row.minY, style: style)
            canvas.write(item.name, x: x + key, y: row.minY, style: canvas.theme.raised(.text))
            x += width
        }
        if let width = widths.last, width > 0 {
            // Where there is room, not against the edge.
            let isTight = widths.reduce(0, +) >= row.width
            let start = row.maxX - width + (isTight ? 1 : 0)
            canvas.write(remark, x: start, y: row.minY, style: canvas.theme.raised(.dim))
        }
    }
}
