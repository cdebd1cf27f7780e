/// A grid of cells for a terminal.
package struct Surface: Sendable, Equatable {
    /// The size in cells.
    package let size: Size
    /// The cells, row by row.
    package private(set) var cells: [Cell]

    /// Creates a surface filled with copies of a cell.
    package init(size: Size, filledWith cell: Cell = Cell()) {
        self.size = Size(width: max(0, size.width), height: max(0, size.height))
        cells = Array(repeating: cell, count: self.size.width * self.size.height)
    }

    /// The cell in column `x` of row `y`.
    ///
    /// Outside the surface, reading returns an empty cell, and writing has no effect.
    package subscript(x: Int, y: Int) -> Cell {
        get {
            guard contains(x, y) else { return Cell() }
            return cells[y * size.width + x]
        }
        set {
            guard contains(x, y) else { return }
            cells[y * size.width + x] = newValue
        }
    }

    /// Writes a cell.
    ///
    /// The position must be on the surface.
    @inline(__always)
    mutating func put(_ character: String, _ style: Style, x: Int, y: Int) {
        cells[y * size.width + x] = Cell(character, style: style)
    }

    private func contains(_ x: Int, _ y: Int) -> Bool {
        x >= 0 && y >= 0 && x < size.width && y < size.height
    }
}
