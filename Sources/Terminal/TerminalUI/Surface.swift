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

/// The colors that a terminal can show.
package enum ColorDepth: String, Sendable, CaseIterable {
    /// Red, green, and blue components, each from 0 to 255.
    case direct
    case indexed256
    /// The sixteen colors that users can configure in the terminal.
    case basic16
    /// Attributes without colors.
    case mono

    package func nearest(to color: Color) -> Color {
        switch (self, color) {
        case (.mono, _): .standard
        case (.direct, _), (_, .standard): color
        case (.indexed256, .indexed): color
        case (.indexed256, .rgb(let red, let green, let blue)):
            // Exclude the first sixteen colors, because users can change them.
            .indexed(Self.nearest(to: (red, green, blue), among: 16...255))
        case (.basic16, .indexed(let index)):
            index < 16
                ? color
                : .indexed(Self.nearest(to: IndexedPalette.components(of: index), among: 0...15))
        case (.basic16, .rgb(let red, let green, let blue)):
            .indexed(Self.nearest(to: (red, green, blue), among: 0...15))
        }
    }

    private static func nearest(
        to target: (UInt8, UInt8, UInt8),
        among indexes: ClosedRange<UInt8>
    ) -> UInt8 {
        var best = indexes.lowerBound
        var minimum = Int.max
        for index in indexes {
            let candidate = IndexedPalette.components(of: index)
            let red = Int(target.0) - Int(candidate.0)
            let green = Int(target.1) - Int(candidate.1)
            let blue = Int(target.2) - Int(candidate.2)
            // The eye is most sensitive to green, and least sensitive to blue.
            let distance = 3 * red * red + 4 * green * green + 2 * blue * blue
            if distance < minimum {
                minimum = distance
                best = index
            }
        }
        return best
    }
}

extension Surface {
    /// Returns the surface as shown by a terminal with this depth.
    package func reduced(to depth: ColorDepth) -> Surface {
        guard depth != .direct else { return self }
        var reduced = self
        var known: [Color: Color] = [:]
        func nearest(_ color: Color) -> Color {
            if let found = known[color] { return found }
            let found = depth.nearest(to: color)
            known[color] = found
            return found
        }
        for y in 0..<size.height {
            for x in 0..<size.width {
                var cell = self[x, y]
                cell.style.foreground = nearest(cell.style.foreground)
                cell.style.background = nearest(cell.style.background)
                reduced[x, y] = cell
            }
        }
        return reduced
    }
}

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
        return withHalves(changed, previous: previous).map { index in
            CellChange(
                point: Point(x: index % size.width, y: index / size.width),
                cell: cells[index]
            )
        }
    }

    /// Adds both halves of old and new wide characters to the changed cells.
    private func withHalves(_ changed: [Int], previous: Surface) -> [Int] {
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
