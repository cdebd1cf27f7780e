/// The named colors that a theme can use without a palette.
enum ColorName {
    /// The terminal's sixteen colors, which users can change, and `default`.
    static let terminal: [String: Color] = {
        let names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]
        var colors: [String: Color] = ["default": .standard]
        for (index, name) in names.enumerated() {
            colors[name] = .indexed(UInt8(index))
            colors["bright-" + name] = .indexed(UInt8(index + 8))
        }
        return colors
    }()

    /// Parses a color of the form `#rrggbb` or `#rgb`, or returns `nil` for other text.
    static func hexadecimal(_ text: String) -> Color? {
        guard text.utf8.first == UInt8(ascii: "#") else { return nil }
        let digits = text.dropFirst().compactMap(\.hexDigitValue)
        guard digits.count == text.count - 1 else { return nil }
        switch digits.count {
        case 3: return .rgb(pair(digits[0]), pair(digits[1]), pair(digits[2]))
        case 6:
            return .rgb(
                UInt8(digits[0] * 16 + digits[1]),
                UInt8(digits[2] * 16 + digits[3]),
                UInt8(digits[4] * 16 + digits[5])
            )
        default: return nil
        }
    }

    private static func pair(_ digit: Int) -> UInt8 { UInt8(digit * 17) }
}
