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
