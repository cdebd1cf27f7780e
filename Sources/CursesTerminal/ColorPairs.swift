import TerminalUI

/// The numbers by which ncurses knows two colours together; defined when first used.
struct ColorPairs {
    /// What a screen's colours are, in ncurses's numbers.
    struct Capabilities: Equatable {
        /// How many colours there are; 0 for none.
        var colors: Int
        /// How many pairs there can be, pair 0 included.
        var pairs: Int
        /// Whether a colour is 0xRRGGBB.
        var isDirect: Bool
        /// Whether -1 is the terminal's own colour.
        var hasDefaultColors: Bool
    }

    /// A pair's number and the attributes that stand for what the colours cannot say.
    struct Choice: Equatable {
        var pair: Int32
        var isBrightened: Bool
    }

    let capabilities: Capabilities
    let depth: ColorDepth
    /// Whether there were more pairs than numbers since ``forget()``.
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

    /// The pair that shows a style; pair 0, the terminal's own colours, when there is none left.
    mutating func choice(for style: Style) -> Choice {
        guard depth != .mono else { return Choice(pair: 0, isBrightened: false) }
        let colors = Colors(foreground: style.foreground, background: style.background)
        if let known = choices[colors] { return known }
        let choice = make(colors)
        choices[colors] = choice
        return choice
    }

    /// Forgets all pairs; every cell must be put again.
    mutating func forget() {
        choices.removeAll(keepingCapacity: true)
        numbers.removeAll(keepingCapacity: true)
        isExhausted = false
    }

    private mutating func make(_ colors: Colors) -> Choice {
        var foreground = number(of: colors.foreground, standard: 7)
        var background = number(of: colors.background, standard: 0)
        var isBrightened = false
        if !capabilities.isDirect, capabilities.colors < 16 {
            // Eight colours: bold makes the brighter eight, and there are no brighter backgrounds.
            isBrightened = foreground >= 8
            if foreground >= 8 { foreground -= 8 }
            if background >= 8 { background -= 8 }
            // Dark grey on black must not become black on black.
            if foreground == background, foreground >= 0 { foreground = background == 0 ? 7 : 0 }
        }
        let wanted = SIMD2(foreground, background)
        if wanted == SIMD2(-1, -1) { return Choice(pair: 0, isBrightened: isBrightened) }
        if let known = numbers[wanted] { return Choice(pair: known, isBrightened: isBrightened) }
        let next = Int32(numbers.count + 1)
        guard Int(next) < capabilities.pairs, define(next, foreground, background) else {
            isExhausted = true
            return Choice(pair: 0, isBrightened: isBrightened)
        }
        numbers[wanted] = next
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

    /// A direct colour's number.
    ///
    /// Entries such as xterm-direct keep 0 to 7 for the user's palette (terminfo, "RGB"): the
    /// darkest colours take the nearest one beyond.
    private static func direct(_ components: (UInt8, UInt8, UInt8)) -> Int32 {
        let packed = Int32(components.0) << 16 | Int32(components.1) << 8 | Int32(components.2)
        return max(packed, 8)
    }
}
