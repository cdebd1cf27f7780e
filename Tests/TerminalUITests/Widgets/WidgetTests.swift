import TerminalUI
import Testing

struct WidgetTests {
    private func drawn(
        _ width: Int,
        _ height: Int,
        glyphs: GlyphSet = .braille,
        _ body: (inout Canvas, Rect) -> Void
    ) -> String {
        let size = Size(width: width, height: height)
        var canvas = Canvas(size: size, theme: .standard, glyphs: glyphs)
        body(&canvas, canvas.bounds)
        return canvas.surface.plainText
    }

    @Test func aPanelHasItsTitleRemarkAndLegendInItsBorder() {
        let panel = Panel(
            title: "Title",
            subtitle: "how",
            remark: "now",
            legend: [[Span("x", Style()), Span(" y", Style())], [Span("much too long", Style())]]
        )
        var inner = Rect(x: 0, y: 0, width: 0, height: 0)
        let text = drawn(24, 3) { inner = panel.draw(on: &$0, in: $1) }
        #expect(
            text == """
                ╭─ Title · how ── now ─╮
                │                      │
                ╰─ x y ────────────────╯

                """
        )
        #expect(inner == Rect(x: 2, y: 1, width: 20, height: 1))
    }

    @Test func aKeyBarKeepsTheImportantKeys() {
        let bar = KeyBar(
            items: [
                KeyBar.Item(key: "q", name: "quit", priority: 9),
                KeyBar.Item(key: "t", name: "theme", priority: 1),
                KeyBar.Item(key: "?", name: "help", priority: 8),
            ],
            remark: "1%",
            remarkPriority: 5
        )
        #expect(drawn(29, 1) { bar.draw(on: &$0, in: $1) } == " q quit  t theme  ? help  1%\n")
        #expect(drawn(18, 1) { bar.draw(on: &$0, in: $1) } == " q quit ? help 1%\n")
        #expect(drawn(8, 1) { bar.draw(on: &$0, in: $1) } == " q quit\n")
    }

    @Test(arguments: [
        (0.0, "········"), (0.01, "■·······"), (0.5, "■■■■····"), (0.994, "■■■■■■■·"),
        (0.999, "■■■■■■■■"),
        (1.0, "■■■■■■■■"), (.nan, "········"), (-3, "········"), (9, "■■■■■■■■"),
    ])
    func aMeterShowsSmallAndFullShares(share: Double, expected: String) {
        #expect(drawn(8, 1) { Meter(share: share).draw(on: &$0, in: $1) } == expected + "\n")
    }

    @Test func aSparklineShowsEachValueByItsHeight() {
        let values = [0, 1, 2, 3, 4, .nan, 4, 8]
        let line = Sparkline(values: values, gradient: .load)
        #expect(drawn(8, 1, glyphs: .block) { line.draw(on: &$0, in: $1) } == "▁▁▂▃▄▁▄█\n")
        #expect(drawn(8, 1, glyphs: .ascii) { line.draw(on: &$0, in: $1) } == "...:-.-#\n")
        #expect(drawn(4, 1) { line.draw(on: &$0, in: $1) } == "⢀⣠⡄⣼\n")
    }

    @Test func aChartStacksItsLayersBelowAndAboveTheLine() {
        let chart = TimeChart(
            layers: [
                TimeChart.Layer(values: [2, 4, 4, 1], gradient: .readers, range: 0...4),
                TimeChart.Layer(
                    values: [0, 0, 4, .nan],
                    gradient: .waiting,
                    range: 4...8,
                    isShaded: true
                ),
            ],
            maximum: 8,
            reference: (4, "max 4"),
            seconds: 30
        )
        let text = drawn(12, 5, glyphs: .block) { chart.draw(on: &$0, in: $1) }
        #expect(
            text == """
                     8┤  ▒
                      │  ▒
                 max 4┤╌██╌╌
                     0┤███▄
                         now

                """
        )
    }

    @Test(arguments: [(0.5, 1), (4.01, 5), (9, 10), (13, 15), (21, 25), (73, 80), (1e12, 1e9)])
    func anAxisEndsOnARoundNumber(value: Double, maximum: Double) {
        #expect(TimeChart.niceMaximum(above: value) == maximum)
    }

    @Test func aTableOmitsColumnsAndCountsHiddenRows() {
        let columns = [
            Table.Column(title: "name", track: Track.fixed(5, priority: 9)),
            Table.Column(title: "n", alignment: .trailing, track: Track.fixed(3, priority: 1)),
        ]
        let rows = (1...4).map { [Span("row \($0)", Style()), Span("\($0)", Style())] }
        let table = Table(columns: columns, rows: rows)
        let wide = drawn(10, 4) { table.draw(on: &$0, in: $1) }
        #expect(wide == "name     n\nrow 1    1\nrow 2    2\nand 2 more\n")
        #expect(drawn(9, 5) { table.draw(on: &$0, in: $1) } == "name\nrow 1\nrow 2\nrow 3\nrow 4\n")
    }

    @Test func aLaneKeepsItsNewestCells() {
        let marks = [
            LaneStrip.Mark(glyph: "·", ascii: ".", role: .idle),
            LaneStrip.Mark(glyph: "█", ascii: "#", role: .running),
        ]
        let strip = LaneStrip(marks: marks, cells: [1, 1, 0, nil, 1, 7])
        #expect(drawn(4, 1) { strip.draw(on: &$0, in: $1) } == "· █\n")
        #expect(drawn(8, 1, glyphs: .ascii) { strip.draw(on: &$0, in: $1) } == "  ##. #\n")
    }

    @Test func helpIsShortAndScrollsInSmallTerminals() {
        let entries = (1...5).map {
            HelpOverlay.Entry(
                term: Span("\($0)", Style()),
                meaning: "a long explanation",
                short: "do \($0)"
            )
        }
        let help = HelpOverlay(
            title: "Help",
            sections: [HelpOverlay.Section(title: "Keys", entries: entries)],
            hint: "Esc"
        )
        let text = drawn(20, 5) { help.draw(on: &$0, in: $1) }
        #expect(text.contains("1  do 1") && !text.contains("3  do 3"))
        #expect(help.lastTop(in: Size(width: 20, height: 5)) == 3)
        var scrolled = help
        scrolled.top = 99
        let end = drawn(20, 5) { scrolled.draw(on: &$0, in: $1) }
        #expect(!end.contains("2  do 2") && end.contains("5  do 5"))
        let roomy = drawn(40, 10) { help.draw(on: &$0, in: $1) }
        #expect(roomy.contains("1  a long explanation") && roomy.contains("Keys"))
    }
}
