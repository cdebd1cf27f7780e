import TerminalUI
import Testing

struct ExportTests {
    private var surface: Surface {
        var canvas = Canvas(size: Size(width: 6, height: 2), theme: .standard, glyphs: .braille)
        let bold = Style(
            foreground: .rgb(1, 2, 3),
            background: .indexed(4),
            attributes: [.bold, .underline]
        )
        canvas.write("a<日", x: 0, y: 0, style: bold)
        canvas.write("│▄⣿", x: 0, y: 1, style: Style(attributes: .reverse))
        return canvas.surface
    }

    @Test func textContainsOnlyCharacters() {
        #expect(surface.plainText == "a<日\n│▄⣿\n")
    }

    @Test func ansiSetsEachStyleOnceAndResetsEachLine() {
        let lines = surface.ansiText.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("\u{1B}[0;1;4;38;2;1;2;3;48;5;4ma<日"))
        #expect(lines[1].hasPrefix("\u{1B}[0;7m│▄⣿"))
        #expect(lines.allSatisfy { $0.hasSuffix("\u{1B}[0m") })
    }

    @Test func svgHasTextShapesAndBackgroundsOnOneGrid() {
        let svg = SVGRenderer.render(surface, title: "a & b")
        #expect(svg.hasPrefix("<svg "))
        #expect(svg.contains("<title>a &amp; b</title>"))
        #expect(svg.contains(">a&lt;</text>"))
        #expect(svg.contains(">日</text>"))
        #expect(svg.contains("font-weight=\"bold\""))
        #expect(!svg.contains("│") && !svg.contains("▄") && !svg.contains("⣿"))
        #expect(svg.contains("M8.4 27h8.4v9h-8.4z"))
    }

    /// A viewer that collapses spaces would stretch the remaining text to the whole length.
    @Test func svgOmitsGapsFromItsText() {
        var canvas = Canvas(size: Size(width: 20, height: 1), theme: .standard, glyphs: .braille)
        canvas.write("a b   c d  e", x: 1, y: 0, style: Style(foreground: .rgb(1, 2, 3)))
        let svg = SVGRenderer.render(canvas.surface, title: "")
        #expect(svg.contains("<text x=\"8.4\" y=\"13.5\" textLength=\"25.2\">a b</text>"))
        #expect(svg.contains("<text x=\"58.8\" y=\"13.5\" textLength=\"25.2\">c d</text>"))
        #expect(svg.contains("<text x=\"100.8\" y=\"13.5\">e</text>"))
    }

    @Test func svgDrawsRepetitionsAsOneElement() {
        var canvas = Canvas(size: Size(width: 12, height: 3), theme: .standard, glyphs: .braille)
        canvas.write("⣿⣿⣿⡪⡪⡪", x: 0, y: 0, style: Style(foreground: .rgb(1, 2, 3)))
        canvas.write("│╌╌╌╌───────", x: 0, y: 1, style: Style(foreground: .rgb(7, 8, 9)))
        canvas.put("│", x: 0, y: 2, style: Style(foreground: .rgb(7, 8, 9)))
        let svg = SVGRenderer.render(canvas.surface, title: "")
        // There are six full columns of dots in each row, followed by alternating columns.
        #expect(svg.components(separatedBy: "stroke-dasharray=\"2.9 1.3\"").count == 2)
        #expect(svg.contains("stroke-dasharray=\"2.9 5.5\""))
        #expect(svg.contains("h23.9"))
        // A single line crosses both cells.
        #expect(svg.contains("v36"))
        #expect(svg.contains("stroke-dasharray=\"2.4 1.6 2.4 2\""))
        #expect(!svg.contains("<text"))
    }

    @Test func svgFillsShadesWithOnePatternForEachColor() {
        var canvas = Canvas(size: Size(width: 6, height: 2), theme: .standard, glyphs: .braille)
        for y in 0..<2 {
            canvas.write("▒▒▒▒▒▒", x: 0, y: y, style: Style(foreground: .rgb(4, 5, 6)))
        }
        let svg = SVGRenderer.render(canvas.surface, title: "")
        #expect(svg.components(separatedBy: "<pattern").count == 2)
        #expect(svg.components(separatedBy: "url(#h0)").count == 3)
    }
}
