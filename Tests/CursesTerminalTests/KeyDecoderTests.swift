import CNCurses
import TerminalUI
import Testing

@testable import CursesTerminal

struct KeyDecoderTests {
    private static let typed: [(UInt32, Key)] = [
        (0x61, .character("a")), (0x20, .character(" ")), (0xE9, .character("é")),
        (0x0D, .enter), (0x0A, .enter), (0x1B, .escape), (0x09, .tab), (0x7F, .backspace),
        (0x08, .backspace), (0x03, .control("c")), (0x1A, .control("z")),
    ]

    @Test(arguments: typed)
    func typedCharactersAreDecoded(scalar: UInt32, key: Key) {
        #expect(KeyDecoder.key(scalar: scalar) == key)
    }

    @Test(arguments: [0x00, 0x1C, 0x1F, 0x80, 0x9B, 0xD800] as [UInt32])
    func untypeableCodesAreNotKeys(scalar: UInt32) {
        #expect(KeyDecoder.key(scalar: scalar) == nil)
    }

    @Test
    func namedKeysAreDecoded() {
        #expect(KeyDecoder.key(special: UInt32(PG_SPECIAL_PAGE_UP)) == .pageUp)
        #expect(KeyDecoder.key(special: UInt32(PG_SPECIAL_BACK_TAB)) == .backTab)
        #expect(KeyDecoder.key(special: UInt32(PG_SPECIAL_F0 + 1)) == .function(1))
        #expect(KeyDecoder.key(special: UInt32(PG_SPECIAL_F0 + 12)) == .function(12))
        #expect(KeyDecoder.key(special: UInt32(PG_SPECIAL_F0 + 13)) == nil)
        #expect(KeyDecoder.key(special: 0) == nil)
    }
}
