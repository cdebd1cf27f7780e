import TerminalUI
import Testing

struct CellTextTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("日本", 4), ("e\u{301}", 1), ("한글", 4), ("👍", 2), ("👨‍👩‍👧", 2),
        ("a\u{200B}b", 2), ("\u{202E}ab", 2), ("Ａ", 2), ("\u{1B}[0m", 4), ("\r\n", 1), ("│█⣿", 3),
    ])
    func widthIsCountedInCells(text: String, width: Int) {
        #expect(CellText.width(of: text) == width)
    }

    @Test func controlCharactersAreShownAsText() {
        #expect(drawn("\u{1B}[2J", width: 6) == "␛[2J")
        #expect(drawn("a\tb\nc\u{7F}", width: 8) == "a␉b␊c␡")
        #expect(drawn("\u{9B}2J", width: 4) == "\u{FFFD}2J")
        #expect(drawn("\u{202E}abc\u{200D}", width: 4) == "abc")
        #expect(drawn("\u{1B}x", width: 4, glyphs: .ascii) == "^[x")
    }

    @Test func asciiReplacementsKeepTheWidthOfText() {
        #expect(drawn("1.2 µs – …", width: 12, glyphs: .ascii) == "1.2 us - ~")
        #expect(drawn("日本é", width: 12, glyphs: .ascii) == "?????")
        #expect(CellText.width(of: "日本é", isASCII: true) == 5)
    }

    @Test func aGraphemeClusterKeepsAtMostFourMarks() {
        let zalgo = "z" + String(repeating: "\u{301}", count: 40)
        var canvas = Canvas(size: Size(width: 2, height: 1), theme: .standard, glyphs: .braille)
        canvas.write(zalgo, x: 0, y: 0, style: Style())
        #expect(canvas.surface[0, 0].character.unicodeScalars.count == 5)
    }

    private func drawn(_ text: String, width: Int, glyphs: GlyphSet = .braille) -> String {
        var canvas = Canvas(size: Size(width: width, height: 1), theme: .standard, glyphs: glyphs)
        canvas.write(text, x: 0, y: 0, style: Style())
        return String(canvas.surface.plainText.dropLast())
    }
}
