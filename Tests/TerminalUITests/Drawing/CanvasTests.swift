import TerminalUI
import Testing

struct CanvasTests {
    private func canvas(_ width: Int, _ height: Int) -> Canvas {
        Canvas(size: Size(width: width, height: height), theme: .standard, glyphs: .braille)
    }

    @Test func nothingIsDrawnOutsideTheClip() {
        var canvas = canvas(6, 3)
        canvas.clipped(to: Rect(x: 1, y: 1, width: 3, height: 1)) { canvas in
            canvas.fill(canvas.bounds, with: "x", style: Style())
            canvas.write("yyyyyy", x: 3, y: 1, style: Style())
            canvas.write("zzz", x: 0, y: 2, style: Style())
        }
        #expect(canvas.surface.plainText == "\n xx…\n\n")
        #expect(canvas.clip == canvas.bounds)
    }

    @Test func textThatDoesNotFitEndsInAnEllipsis() {
        var canvas = canvas(8, 3)
        #expect(canvas.write("abcdef", x: 0, y: 0, style: Style(), limit: 4) == 4)
        canvas.write("abcd", x: 0, y: 1, style: Style(), limit: 4)
        canvas.write("日本語", x: 0, y: 2, style: Style(), limit: 4)
        #expect(canvas.surface.plainText == "abc…\nabcd\n日…\n")
    }

    @Test func overwritingHalfOfAWideCharacterBlanksTheOtherHalf() {
        var canvas = canvas(4, 2)
        canvas.write("日本", x: 0, y: 0, style: Style())
        canvas.put("x", x: 1, y: 0, style: Style())
        canvas.put("y", x: 2, y: 0, style: Style())
        #expect(canvas.surface.plainText == " xy\n\n")
        canvas.write("日", x: 0, y: 1, style: Style())
        canvas.write("本", x: 1, y: 1, style: Style())
        #expect(canvas.surface.plainText == " xy\n 本\n")
    }

    @Test func aWideCharacterIsNotCutAtTheEdge() {
        var canvas = canvas(3, 1)
        canvas.write("a日本", x: 0, y: 0, style: Style(), limit: 2)
        #expect(canvas.surface.plainText == "a…\n")
    }

    @Test(arguments: [
        (Alignment.leading, "ab\n"), (.center, "  ab\n"), (.trailing, "    ab\n"),
    ])
    func textIsAlignedInItsRow(alignment: Alignment, expected: String) {
        var canvas = canvas(6, 1)
        canvas.write("ab", in: canvas.bounds, style: Style(), alignment: alignment)
        #expect(canvas.surface.plainText == expected)
    }
}
