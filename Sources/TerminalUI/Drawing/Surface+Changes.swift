/// A cell that differs from the cell that the terminal displays.
package struct CellChange: Sendable, Equatable {
    package var point: Point
    package var cell: Cell

    package init(point: Point, cell: Cell) {
        self.point = point
        self.cell = cell
    }
}

extension Surface {
    /// Returns the cells to write, row by row, to change `previous` to this surface.
    ///
    /// After a resize, returns all cells. If half of a wide character changes, returns both halves,
    /// because a terminal erases them together.
    package func changes(from previous: Surface?) -> [CellChange] {
        guard let previous, previous.size == size else {
            return cells.indices.map { index in
                CellChange(
                    point: Point(x: index % size.width, y: index / size.width),
                    cell: cells[index]
                )
            }
        }
        var changed: [Int] = []
        // Compare buffers for speed, because most cells are equal.
        cells.withUnsafeBufferPointer { new in
            previous.cells.withUnsafeBufferPointer { old in
                for index in new.indices where new[index] != old[index] { changed.append(index) }
            }
        }
        return withHalves(changed, previous).map { index in
            CellChange(
                point: Point(x: index % size.width, y: index / size.width),
                cell: cells[index]
            )
        }
    }

    /// Adds both halves of old and new wide characters to the changed cells.
    private func withHalves(_ changed: [Int], _ previous: Surface) -> [Int] {
        func isHalf(_ index: Int) -> Bool {
            cells[index].character.isEmpty || previous.cells[index].character.isEmpty
        }
        var all: [Int] = []
        all.reserveCapacity(changed.count)
        func add(_ index: Int) { if all.last ?? -1 < index { all.append(index) } }
        for index in changed {
            let column = index % size.width
            if column > 0, isHalf(index) { add(index - 1) }
            add(index)
            if column + 1 < size.width, isHalf(index + 1) { add(index + 1) }
        }
        return all
    }
}
