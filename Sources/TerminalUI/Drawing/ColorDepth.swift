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
