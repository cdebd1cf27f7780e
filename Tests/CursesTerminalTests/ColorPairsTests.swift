import TerminalUI
import Testing

@testable import CursesTerminal

struct ColorPairsTests {
    private final class Definitions {
        var list: [[Int32]] = []
    }

    private let defined = Definitions()

    private func pairs(
        colors: Int,
        pairs: Int = 65_536,
        isDirect: Bool = false,
        hasDefaultColors: Bool = true
    ) -> ColorPairs {
        let defined = defined
        return ColorPairs(
            capabilities: ColorPairs.Capabilities(
                colors: colors,
                pairs: pairs,
                isDirect: isDirect,
                hasDefaultColors: hasDefaultColors
            ),
            define: { pair, foreground, background in
                defined.list.append([pair, foreground, background])
                return true
            }
        )
    }

    private func style(_ foreground: Color, on background: Color = .standard) -> Style {
        Style(foreground: foreground, background: background)
    }

    @Test
    func aPairIsDefinedOnce() {
        var pairs = pairs(colors: 256)
        let first = pairs.choice(for: style(.indexed(200)))
        #expect(pairs.choice(for: style(.indexed(200))) == first)
        #expect(defined.list == [[1, 200, -1]])
    }

    @Test
    func theDefaultColorsArePairZero() {
        var pairs = pairs(colors: 256)
        #expect(pairs.choice(for: Style()).pair == 0)
        #expect(defined.list.isEmpty)
    }

    @Test
    func aTerminalWithoutDefaultColorsUsesWhiteOnBlack() {
        var pairs = pairs(colors: 8, pairs: 64, hasDefaultColors: false)
        _ = pairs.choice(for: style(.standard))
        #expect(defined.list == [[1, 7, 0]])
    }

    @Test
    func directColorsAvoidThePalette() {
        var pairs = pairs(colors: 0x1000000, isDirect: true)
        #expect(pairs.depth == .direct)
        _ = pairs.choice(for: style(.rgb(0x12, 0x34, 0x56), on: .rgb(0, 0, 0)))
        _ = pairs.choice(for: style(.indexed(3), on: .indexed(196)))
        #expect(defined.list == [[1, 0x123456, 8], [2, 3, 0xFF0000]])
    }

    @Test
    func indexedColorsAreTheNearestColors() {
        var pairs = pairs(colors: 256)
        _ = pairs.choice(for: style(.rgb(254, 1, 1)))
        #expect(defined.list == [[1, 196, -1]])
    }

    @Test
    func brightColorsAreBoldIfThereAreEightColors() {
        var pairs = pairs(colors: 8, pairs: 64)
        let choice = pairs.choice(for: style(.indexed(9)))
        #expect(choice.isBrightened)
        #expect(defined.list == [[1, 1, -1]])
    }

    @Test
    func textDiffersFromItsBackground() {
        var pairs = pairs(colors: 8, pairs: 64)
        _ = pairs.choice(for: style(.indexed(8), on: .indexed(0)))
        #expect(defined.list == [[1, 7, 0]])
    }

    @Test
    func noPairsAreUsedWithoutColors() {
        var pairs = pairs(colors: 0, pairs: 0)
        #expect(pairs.depth == .mono)
        #expect(pairs.choice(for: style(.rgb(1, 2, 3), on: .indexed(4))).pair == 0)
        #expect(defined.list.isEmpty)
    }

    @Test
    func exhaustedPairNumbersAreReported() {
        var pairs = pairs(colors: 256, pairs: 3)
        for index in UInt8(20)..<23 { _ = pairs.choice(for: style(.indexed(index))) }
        #expect(pairs.isExhausted)
        #expect(defined.list.count == 2)
        pairs.removeAll()
        #expect(!pairs.isExhausted)
        #expect(pairs.choice(for: style(.indexed(22))).pair == 1)
    }
}
