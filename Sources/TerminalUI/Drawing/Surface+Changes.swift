/// A cell that differs from what a terminal shows.
package struct CellChange: Sendable, Equatable {
    /// Where it is.
    package var point: Point
    /// What it shows now.
    package var cell: Cell

    /// Creates a change.
    package init(point: Point, cell: Cell) {
        self.point = point
        self.cell = cell
    }
}

extension Surface {
    /// The cells that must be written to turn `previous` into this surface, row by row.
    ///
    /// After a resize everything is a change. Both halves of a wide character count when either
    /// does: a terminal erases one with the other.
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
        // Buffers: of the many cells that are compared, few are taken.
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

    /// Adds to changed cells the other halves of wide characters, old and new.
    private func withHalves(_ changed: [Int], _ previous: Surface) -> [Int] {
        func isHalf(_ index: Int) -> Bool {
            cells[index].character.isEmpty || previous.cells[index].character.isEmpty
        }
        var all: [Int] = []
        all.reserveCapacity(changed.count)
        func add(_ index: Int) { if all.last ?? -1 < index { all.append(index) } }
        for index in changed {
            let column = index % size.width
            // The lead of a wide character whose other half changed.
            if column > 0, isHalf(index) { add(index - 1) }
            add(index)
            // The other half of one whose lead changed.
            if column + 1 < size.width, isHalf(index + 1) { add(index + 1) }
        }
        return all
    }
}
