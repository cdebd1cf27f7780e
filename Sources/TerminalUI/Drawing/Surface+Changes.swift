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
        let old = previous?.size == size ? previous?.cells : nil
        var changes: [CellChange] = []
        var index = 0
        for y in 0..<size.height {
            let rowEnd = index + size.width
            let rowStart = index
            while index < rowEnd {
                defer { index += 1 }
                if let old {
                    let isChanged = old[index] != cells[index]
                    // The lead of a wide character whose other half changed, or the other half.
                    let isHalf =
                        index + 1 < rowEnd
                        && (old[index + 1].character.isEmpty || cells[index + 1].character.isEmpty)
                        && old[index + 1] != cells[index + 1]
                    let followsLead =
                        index > rowStart
                        && (old[index].character.isEmpty || cells[index].character.isEmpty)
                        && old[index - 1] != cells[index - 1]
                    guard isChanged || isHalf || followsLead else { continue }
                }
                changes.append(
                    CellChange(point: Point(x: index - rowStart, y: y), cell: cells[index])
                )
            }
        }
        return changes
    }
}
