/// A chart of horizontal bars with a name above each bar.
struct BarChart {
    struct Bar {
        var name: String
        var value: Double
        var label: String
    }

    let id: String
    let title: String
    let bars: [Bar]

    private static let width = 400.0
    private static let rowHeight = 38.0
    /// The maximum number of characters of a name, which fit the width of the chart.
    private static let maximumNameLength = 48

    var markup: Markup {
        guard !bars.isEmpty else { return .empty }
        let height = Self.rowHeight * Double(bars.count) + 4
        let values = bars.map { "\($0.name): \($0.label)" }.joined(separator: "; ")
        let head: [Markup] = [
            .element("title", ["id": "\(id)-title"], .text(title)),
            .element("desc", ["id": "\(id)-description"], .text("Bars. \(values).")),
        ]
        let drawing = Markup.element(
            "svg",
            [
                "viewBox":
                    "0 0 \(LineChart.number(Self.width)) \(LineChart.number(height))",
                "role": "img",
                "aria-labelledby": "\(id)-title \(id)-description",
            ],
            head + bars.enumerated().flatMap(draw)
        )
        return .element("figure", [:], [.element("figcaption", [:], .text(title)), drawing])
    }

    private func draw(_ index: Int, _ bar: Bar) -> [Markup] {
        let maximum = bars.map(\.value).max() ?? 1
        // Leave space for the label of the longest bar.
        let length = maximum > 0 ? max(1, bar.value / maximum * (Self.width - 90)) : 1
        let top = Double(index) * Self.rowHeight
        let name =
            bar.name.count > Self.maximumNameLength
            ? bar.name.prefix(Self.maximumNameLength - 1) + "…" : bar.name[...]
        return [
            LineChart.label(String(name), (0, top + 13), anchor: "start", style: "value"),
            .element(
                "rect",
                [
                    "class": "bar", "x": "0", "y": LineChart.number(top + 18),
                    "width": LineChart.number(length), "height": "13",
                ]
            ),
            LineChart.label(bar.label, (length + 6, top + 29), anchor: "start"),
        ]
    }
}
