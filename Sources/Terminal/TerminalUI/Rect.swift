/// A size in cells.
package struct Size: Sendable, Hashable {
    /// The number of columns.
    package var width: Int
    /// The number of rows.
    package var height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}

/// A cell's position: column `x` from the left and row `y` from the top, both zero-based.
package struct Point: Sendable, Hashable {
    package var x: Int
    package var y: Int

    package init(x: Int, y: Int) {
        self.x = x
        self.y = y
    }
}

/// A rectangle of cells.
package struct Rect: Sendable, Hashable {
    /// The top-left cell.
    package var origin: Point
    package var size: Size

    package init(x: Int, y: Int, width: Int, height: Int) {
        origin = Point(x: x, y: y)
        size = Size(width: max(0, width), height: max(0, height))
    }

    /// The leftmost column.
    package var minX: Int { origin.x }
    /// The top row.
    package var minY: Int { origin.y }
    /// The column after the rightmost column.
    package var maxX: Int { origin.x + size.width }
    /// The row after the bottom row.
    package var maxY: Int { origin.y + size.height }
    /// The number of columns.
    package var width: Int { size.width }
    /// The number of rows.
    package var height: Int { size.height }
}

extension Rect {
    package var isEmpty: Bool { width == 0 || height == 0 }

    package func intersection(_ other: Rect) -> Rect {
        let left = max(minX, other.minX)
        let top = max(minY, other.minY)
        return Rect(
            x: left,
            y: top,
            width: min(maxX, other.maxX) - left,
            height: min(maxY, other.maxY) - top
        )
    }

    /// Returns the rectangle, reduced by `horizontal` columns on each side and by `vertical` rows
    /// at the top and bottom.
    package func inset(horizontal: Int = 0, vertical: Int = 0) -> Rect {
        Rect(
            x: minX + horizontal,
            y: minY + vertical,
            width: width - 2 * horizontal,
            height: height - 2 * vertical
        )
    }

    /// Returns the row at an index from the top.
    package func row(_ index: Int) -> Rect {
        Rect(x: minX, y: minY + index, width: width, height: index < height ? 1 : 0)
    }

    package func rows(_ heights: [Int]) -> [Rect] {
        var y = minY
        return heights.map { height in
            defer { y += height }
            return Rect(x: minX, y: y, width: width, height: height)
        }
    }

    /// Returns columns of the given widths, from left to right, with `spacing` between them.
    package func columns(_ widths: [Int], spacing: Int = 0) -> [Rect] {
        var x = minX
        return widths.map { width in
            defer { x += width + (width > 0 ? spacing : 0) }
            return Rect(x: x, y: minY, width: width, height: height)
        }
    }

    /// Returns a centered rectangle of the given size, reduced to fit if necessary.
    package func centered(_ size: Size) -> Rect {
        let fitting = Size(width: min(size.width, width), height: min(size.height, height))
        return Rect(
            x: minX + (width - fitting.width) / 2,
            y: minY + (height - fitting.height) / 2,
            width: fitting.width,
            height: fitting.height
        )
    }
}
