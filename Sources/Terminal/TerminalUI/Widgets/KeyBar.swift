/// The last row of a screen, with keys on the left and a remark on the right.
package struct KeyBar: Sendable {
    package struct Item: Sendable, Equatable {
        package var key: String
        package var name: String
        /// The importance of the item if the row is too narrow for all items.
        ///
        /// Items with the lowest priority are omitted first.
        package var priority: Int
        /// The key that a click presses.
        package var target: Key?
        /// Whether the item represents the displayed screen.
        package var isSelected: Bool

        package init(
            key: String,
            name: String,
            priority: Int = 0,
            target: Key? = nil,
            isSelected: Bool = false
        ) {
            self.key = key
            self.name = name
            self.priority = priority
            self.target = target
            self.isSelected = isSelected
        }
    }

    package var items: [Item]
    package var remark: String
    /// The priority of the remark among the items.
    package var remarkPriority: Int

    package init(items: [Item], remark: String = "", remarkPriority: Int = 0) {
        self.items = items
        self.remark = remark
        self.remarkPriority = remarkPriority
    }

    /// Returns the widths of the items and of the remark, or 0 for an item that does not fit.
    private func widths(on canvas: Canvas, in row: Rect, gap: Int) -> [Int] {
        let remarkWidth = remark.isEmpty ? 0 : canvas.width(of: remark) + 1
        let tracks =
            items.map { item in
                let name = canvas.width(of: item.name)
                let width = canvas.width(of: item.key) + (name > 0 ? name + gap : 2)
                return Track.fixed(width, priority: item.priority)
            } + [Track.fixed(remarkWidth, priority: remarkPriority)]
        return Track.lengths(of: tracks, available: row.width)
    }

    /// Draws the items that fit, in order of priority.
    package func draw(on canvas: inout Canvas, in row: Rect) {
        canvas.fill(row, style: canvas.theme.raised(.text))
        var widths = widths(on: canvas, in: row, gap: 3)
        // Reduce the spacing before omitting an item.
        if widths.dropLast().contains(0) { widths = self.widths(on: canvas, in: row, gap: 2) }
        var x = row.minX
        for (item, width) in zip(items, widths) where width > 0 {
            var style = canvas.theme.raised(.accent)
            var nameStyle = canvas.theme.raised(.text)
            style.attributes.insert(.bold)
            if item.isSelected {
                style.attributes.insert(.reverse)
                nameStyle = style
            }
            let key = canvas.write(" \(item.key) ", x: x, y: row.minY, style: style)
            let name = item.isSelected && !item.name.isEmpty ? item.name + " " : item.name
            canvas.write(name, x: x + key, y: row.minY, style: nameStyle)
            if let target = item.target {
                canvas.mark(
                    Rect(x: x, y: row.minY, width: width, height: 1),
                    as: .key(target)
                )
            }
            x += width
        }
        if let width = widths.last, width > 0 {
            // Leave a margin at the edge if there is room.
            let isFull = widths.reduce(0, +) >= row.width
            let start = row.maxX - width + (isFull ? 1 : 0)
            canvas.write(remark, x: start, y: row.minY, style: canvas.theme.raised(.dim))
        }
    }
}
