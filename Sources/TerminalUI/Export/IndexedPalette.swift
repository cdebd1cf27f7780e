/// The indexed colors of xterm, for terminals with unknown colors.
package enum IndexedPalette {
    private static let basic: [(UInt8, UInt8, UInt8)] = [
        (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0),
        (0, 0, 238), (205, 0, 205), (0, 205, 205), (229, 229, 229),
        (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0),
        (92, 92, 255), (255, 0, 255), (0, 255, 255), (255, 255, 255),
    ]

    /// Returns the RGB components of the color at an index.
    ///
    /// The palette consists of 16 basic colors, a 6 × 6 × 6 cube, and 24 grays.
    package static func components(of index: UInt8) -> (UInt8, UInt8, UInt8) {
        if index < 16 { return basic[Int(index)] }
        if index >= 232 {
            let gray = 8 + (index - 232) * 10
            return (gray, gray, gray)
        }
        func level(_ step: UInt8) -> UInt8 { step == 0 ? 0 : 55 + step * 40 }
        let cube = index - 16
        return (level(cube / 36), level(cube / 6 % 6), level(cube % 6))
    }
}
