import TerminalUI

/// The ncurses color pairs of a screen, defined on first use.
struct ColorPairs {
    struct Capabilities: Equatable {
        var colors: Int
        /// The maximum number of pairs, including pair 0.
        var pairs: Int
        /// Whether color numbers are RGB values (0xRRGGBB).
        var isDirect: Bool
        /// Whether the color number -1 means the terminal's default color.
        var hasDefaultColors: Bool
    }

    /// The number of a pair, and whether bold text replaces a bright color.
    struct Choice: Equatable {
        var pair: Int32
        var isBrightened: Bool
    }

    let capabilities: Capabilities
    let depth: ColorDepth
    /// Whether the pairs have run out since the last call to ``removeAll()``.
    private(set) var isExhausted = false

    private struct Colors: Hashable {
        var foreground: Color
        var background: Color
    }

    private var choices: [Colors: Choice] = [:]
    private var numbers: [SIMD2<Int32>: Int32] = [:]
    private let define: (_ pair: Int32, _ foreground: Int32, _ background: Int32) -> Bool

    init(
        capabilities: Capabilities,
        define: @escaping (_ pair: Int32, _ foreground: Int32, _ background: Int32) -> Bool
    ) {
        self.capabilities = capabilities
        self.define = define
        depth =
            switch capabilities.colors {
            case _ where capabilities.isDirect: .direct
            case 256...: .indexed256
            case 8...: .basic16
            default: .mono
            }
    }

    /// Returns the pair for a style.
    ///
    /// If no pair is available, returns pair 0, the terminal's default colors.
    mutating func choice(for style: Style) -> Choice {
        guard depth != .mono else { return Choice(pair: 0, isBrightened: false) }
        let colors = Colors(foreground: style.foreground, background: style.background)
        if let known = choices[colors] { return known }
        let choice = make(colors)
        choices[colors] = choice
        return choice
    }

    /// Removes all pairs.
    ///
    /// The caller must redraw all cells.
    mutating func removeAll() {
        choices.removeAll(keepingCapacity: true)
        numbers.removeAll(keepingCapacity: true)
        isExhausted = false
    }

    private mutating func make(_ colors: Colors) -> Choice {
        var foreground = number(of: colors.foreground, standard: 7)
        var background = number(of: colors.background, standard: 0)
        var isBrightened = false
        if !capabilities.isDirect, capabilities.colors < 16 {
            // With eight colors, bold text represents the eight bright colors. Backgrounds cannot
            // be bright.
            isBrightened = foreground >= 8
            if foreground >= 8 { foreground -= 8 }
            if background >= 8 { background -= 8 }
            // Dark gray on black would otherwise become black on black.
            if foreground == background, foreground >= 0 { foreground = background == 0 ? 7 : 0 }
        }
        let codes = SIMD2(foreground, background)
        if codes == SIMD2(-1, -1) { return Choice(pair: 0, isBrightened: isBrightened) }
        if let known = numbers[codes] { return Choice(pair: known, isBrightened: isBrightened) }
        let next = Int32(numbers.count + 1)
        guard Int(next) < capabilities.pairs, define(next, foreground, background) else {
            isExhausted = true
            return Choice(pair: 0, isBrightened: isBrightened)
        }
        numbers[codes] = next
        return Choice(pair: next, isBrightened: isBrightened)
    }

    private func number(of color: Color, standard: Int32) -> Int32 {
        switch depth.nearest(to: color) {
        case .standard:
            return capabilities.hasDefaultColors ? -1 : standard
        case .indexed(let index):
            guard capabilities.isDirect, index >= 8 else { return Int32(index) }
            return Self.direct(IndexedPalette.components(of: index))
        case .rgb(let red, let green, let blue):
            return Self.direct((red, green, blue))
        }
    }

    /// Converts an RGB color to a direct color number.
    ///
    /// Entries such as xterm-direct reserve 0 to 7 for the user's palette (terminfo, "RGB"). The
    /// darkest colors therefore use 8.
    private static func direct(_ components: (UInt8, UInt8, UInt8)) -> Int32 {
        let packed = Int32(components.0) << 16 | Int32(components.1) << 8 | Int32(components.2)
        return max(packed, 8)
    }
}
