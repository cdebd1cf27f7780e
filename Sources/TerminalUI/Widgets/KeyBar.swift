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

    /// Creates a bar.
    package init(items: [Item], remark: String = "") {
        self.items = items
        self.remark = remark
    }

    /// Draws the keys that fit into the row, the important ones first.
    package func draw(on canvas: inout Canvas, in row: Rect) {
        canvas.fill(row, style: canvas.theme.raised(.text))
        let remarkTrack = Track.fixed(remark.isEmpty ? 0 : canvas.width(of: remark) + 1, priority: 1)
        let tracks =
            items.map { item in
                let width = canvas.width(of: item.key) + canvas.width(of: item.name) + 3
                return Track.fixed(width, priority: item.priority)
            } + [remarkTrack]
        let widths = Track.lengths(of: tracks, available: row.width)
        var x = row.minX
        for (item, width) in zip(items, widths) where width > 0 {
            var style = canvas.theme.raised(.accent)
            style.attributes.insert(.bold)
            let key = canvas.write(" \(item.key) ", x: x, y: row.minY, style: style)
            canvas.write(item.name, x: x + key, y: row.minY, style: canvas.theme.raised(.text))
            x += width
        }
        if let width = widths.last, width > 0 {
            let start = row.maxX - width
            canvas.write(remark, x: start, y: row.minY, style: canvas.theme.raised(.dim))
        }
    }
}
