import TerminalUI
import Testing

struct ListWidgetTests {
    private struct City {
        var name: String
        var size: Double
    }

    private let cities = [
        City(name: "Basel", size: 170), City(name: "Ulm", size: 128), City(name: "Bern", size: 134),
        City(name: "Trier", size: 128),
    ]

    private let listing = Listing<City>(
        columns: [
            Listing.Column("name", .fixed(8, priority: 9), rank: { .text($0.name) }) {
                Span($0.name, $1.style(.text))
            },
            Listing.Column("size", .fixed(6, priority: 8), rank: { .number($0.size) }) {
                Span("\(Int($0.size))", $1.style(.text))
            },
        ],
        name: { $0.name }
    )

    private func names(
        filter: String = "",
        sort: String? = nil,
        isReversed: Bool = false
    ) -> [String] {
        listing.arranged(cities, filter: filter, sort: sort, isReversed: isReversed).map(\.name)
    }

    @Test func numbersSortDescendingAndTextSortsAscendingStably() {
        #expect(names() == ["Basel", "Ulm", "Bern", "Trier"])
        #expect(names(sort: "size") == ["Basel", "Bern", "Ulm", "Trier"])
        #expect(names(sort: "size", isReversed: true) == ["Ulm", "Trier", "Bern", "Basel"])
        #expect(names(sort: "name") == ["Basel", "Bern", "Trier", "Ulm"])
        #expect(names(sort: "no such column", isReversed: true).first == "Trier")
    }

    @Test func filtersSearchEveryColumnIgnoringCase() {
        #expect(names(filter: "be") == ["Bern"])
        #expect(names(filter: "12") == ["Ulm", "Trier"])
        #expect(names(filter: "x").isEmpty)
    }

    private func drawn(_ width: Int, _ height: Int, _ body: (inout Canvas, Rect) -> Void) -> Canvas
    {
        var canvas = Canvas(
            size: Size(width: width, height: height),
            theme: .standard,
            glyphs: .ascii
        )
        body(&canvas, canvas.bounds)
        return canvas
    }

    @Test func aTableScrollsToItsSelectionAndKeepsItsFirstColumn() {
        let columns = ["row", "a", "b", "c"].map {
            Table.Column(title: $0, track: .fixed(6, priority: 5))
        }
        var table = Table(
            columns: columns,
            rows: (0..<20).map { row in
                ["row\(row)", "a\(row)", "b\(row)", "c\(row)"].map { Span($0, Style()) }
            }
        )
        table.names = (0..<20).map { "\($0)" }
        table.selected = "15"
        table.hiddenColumnCount = 1
        let canvas = drawn(24, 6) { table.draw(on: &$0, in: $1.inset(horizontal: 1)) }
        let text = canvas.surface.plainText
        #expect(text.contains(">row15") && text.contains("b15") && !text.contains("a15"))
        #expect(text.contains("above"))
        #expect(canvas.target(at: Point(x: 3, y: 3)) == .row("15"))
        #expect(table.maximumHiddenColumnCount(in: 30) == 0)
        #expect(table.maximumHiddenColumnCount(in: 22) == 1)
    }

    @Test func theTallestBarFillsTheHistogramAndLabelsDoNotTouch() {
        let histogram = Histogram(
            values: [0, 1, 4, 2],
            ticks: [.init(share: 0, label: "1 ms"), .init(share: 0.1, label: "2 ms")],
            lines: [.init(share: 0.6, label: "p50")]
        )
        let text = drawn(16, 6) { histogram.draw(on: &$0, in: $1) }.surface.plainText
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[1].hasPrefix("        ####"))
        #expect(lines[5] == "1 ms")
        #expect(lines[0].contains("p50"))
    }

    @Test func aHeatMapShowsFrequencyAsCellWeight() {
        let map = HeatMap(columns: [[1, 0], [0, 100]], labels: [0: "1 ms"])
        let canvas = drawn(10, 2) { map.draw(on: &$0, in: $1) }
        #expect(canvas.surface.plainText == "       | #\n   1 ms|.\n")
    }

    @Test func aPromptShowsTheEndOfALongTextAndItsError() {
        let long = Prompt(
            label: "filter",
            text: String(repeating: "x", count: 90) + "end",
            hints: ["h"]
        )
        #expect(drawn(40, 1) { long.draw(on: &$0, in: $1) }.surface.plainText.contains("xend"))
        let wrong = Prompt(label: "go to", text: "abc", hints: ["hint"], problem: "no time")
        let text = drawn(40, 1) { wrong.draw(on: &$0, in: $1) }.surface.plainText
        #expect(text.contains("abc") && text.contains("no time") && !text.contains("hint"))
    }
}
