struct LineChart {
    struct Series {
        var name: String
        /// The points from left to right, with a gap at each point without a value.
        var points: [(x: Double, y: Double?)]
    }

    let id: String
    let title: String
    let x: ChartAxis
    let y: ChartAxis
    var series: [Series]
    var bands: [ClosedRange<Double>] = []
    var bandMeaning = ""
    var table: HTMLTable?

    /// The width of the drawing, close to a phone's width so that text is legible on phones.
    static let width = 400.0
    static let height = 230.0
    private static let leftInset = 58.0
    private static let rightInset = 24.0
    private static let topInset = 8.0
    private static let bottomInset = 34.0

    var markup: Markup {
        var parts: [Markup] = [
            .element("figcaption", [:], .text(title)), drawing,
        ]
        if series.count > 1 || !bands.isEmpty { parts.append(legend) }
        if let table {
            parts.append(
                .element(
                    "details",
                    [:],
                    [.element("summary", [:], "Chart data"), table.markup]
                )
            )
        }
        return .element("figure", [:], .group(parts))
    }

    var description: String {
        let lines = series.map { line in
            let values = line.points.compactMap(\.y)
            guard let minimum = values.min(), let maximum = values.max(), let last = values.last
            else {
                return "\(line.name): no values"
            }
            return "\(line.name): from \(y.format(minimum)) to \(y.format(maximum)), "
                + "\(y.format(last)) at the end"
        }
        return "Lines of \(y.label) over \(x.label). " + lines.joined(separator: "; ") + "."
    }

    private var drawing: Markup {
        .element(
            "svg",
            [
                "viewBox": "0 0 \(Self.number(Self.width)) \(Self.number(Self.height))",
                "role": "img",
                "aria-labelledby": "\(id)-title \(id)-description",
            ],
            [
                .element("title", ["id": "\(id)-title"], .text(title)),
                .element("desc", ["id": "\(id)-description"], .text(description)),
            ] + bands.map(shade) + frame + series.enumerated().flatMap(lines)
        )
    }

    private func location(_ point: (x: Double, y: Double)) -> (x: Double, y: Double) {
        (
            Self.leftInset + x.position(of: point.x)
                * (Self.width - Self.leftInset - Self.rightInset),
            Self.height - Self.bottomInset
                - y.position(of: point.y) * (Self.height - Self.topInset - Self.bottomInset)
        )
    }

    private func shade(_ band: ClosedRange<Double>) -> Markup {
        let from = location((band.lowerBound, y.upper))
        let to = location((band.upperBound, y.lower))
        return .element(
            "rect",
            [
                "class": "band", "x": Self.number(from.x), "y": Self.number(from.y),
                "width": Self.number(to.x - from.x), "height": Self.number(to.y - from.y),
            ]
        )
    }

    private var frame: [Markup] {
        let bottom = Self.height - Self.bottomInset
        var parts: [Markup] = []
        for tick in y.ticks {
            let location = location((x.lower, tick.value))
            parts.append(
                Self.line(
                    "grid",
                    (Self.leftInset, location.y),
                    (Self.width - Self.rightInset, location.y)
                )
            )
            parts.append(
                Self.label(
                    tick.label,
                    location: (Self.leftInset - 6, location.y + 4),
                    anchor: "end"
                )
            )
        }
        var lastEnd = -Double.infinity
        for tick in x.ticks {
            let location = location((tick.value, y.lower))
            parts.append(Self.line("grid", (location.x, Self.topInset), (location.x, bottom)))
            // A character is six units wide. Omit labels that would touch.
            let half = Double(tick.label.count) * 3
            guard location.x - half > lastEnd + 4 else { continue }
            lastEnd = location.x + half
            parts.append(
                Self.label(tick.label, location: (location.x, bottom + 15), anchor: "middle")
            )
        }
        parts.append(
            Self.line("axis", (Self.leftInset, bottom), (Self.width - Self.rightInset, bottom))
        )
        parts.append(
            Self.label(
                x.label,
                location: (Self.width - Self.rightInset, Self.height - 4),
                anchor: "end"
            )
        )
        return parts
    }

    /// Draws a line with gaps for missing values, and a dot for a single point between gaps.
    private func lines(_ index: Int, line: Series) -> [Markup] {
        let style = Self.style(index)
        var pieces: [[(x: Double, y: Double)]] = [[]]
        for point in line.points {
            if let value = point.y {
                pieces[pieces.count - 1].append(location((point.x, value)))
            } else if pieces.last?.isEmpty == false {
                pieces.append([])
            }
        }
        return pieces.filter { !$0.isEmpty }.map { piece in
            if piece.count == 1 {
                return .element(
                    "circle",
                    [
                        "class": "\(style) mark", "cx": Self.number(piece[0].x),
                        "cy": Self.number(piece[0].y), "r": "2.5",
                    ]
                )
            }
            let points = piece.map { "\(Self.number($0.x)),\(Self.number($0.y))" }
            return .element(
                "polyline",
                ["class": style, "points": points.joined(separator: " ")]
            )
        }
    }

    private var legend: Markup {
        var items = series.enumerated().map { index, line in
            Markup.element(
                "li",
                [:],
                [
                    Self.swatch(
                        .element(
                            "polyline",
                            ["class": Self.style(index), "points": "1,6 35,6"]
                        )
                    ),
                    .element("span", [:], .text(line.name)),
                ]
            )
        }
        if !bands.isEmpty {
            let band = Markup.element(
                "rect",
                ["class": "band", "x": "1", "y": "1", "width": "34", "height": "10"]
            )
            items.append(
                .element("li", [:], [Self.swatch(band), .element("span", [:], .text(bandMeaning))])
            )
        }
        return .element("ul", ["class": "legend"], items)
    }

    private static func swatch(_ shape: Markup) -> Markup {
        .element("svg", ["viewBox": "0 0 36 12", "aria-hidden": "true"], shape)
    }

    private static func style(_ index: Int) -> String { "s\(index % HTMLStyle.seriesCount)" }

    static func line(
        _ style: String,
        _ from: (x: Double, y: Double),
        _ to: (x: Double, y: Double)
    ) -> Markup {
        .element(
            "line",
            [
                "class": style, "x1": number(from.x), "y1": number(from.y), "x2": number(to.x),
                "y2": number(to.y),
            ]
        )
    }

    static func label(
        _ text: String,
        location: (x: Double, y: Double),
        anchor: String,
        style: String = "label"
    ) -> Markup {
        .element(
            "text",
            [
                "class": style, "x": number(location.x), "y": number(location.y),
                "text-anchor": anchor,
            ],
            .text(text)
        )
    }

    static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0
            ? String(tenths / 10)
            : "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }
}

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

    private func draw(_ index: Int, bar: Bar) -> [Markup] {
        let maximum = bars.map(\.value).max() ?? 1
        // Leave space for the label of the longest bar.
        let length = maximum > 0 ? max(1, bar.value / maximum * (Self.width - 90)) : 1
        let top = Double(index) * Self.rowHeight
        let name =
            bar.name.count > Self.maximumNameLength
            ? bar.name.prefix(Self.maximumNameLength - 1) + "…" : bar.name[...]
        return [
            LineChart.label(String(name), location: (0, top + 13), anchor: "start", style: "value"),
            .element(
                "rect",
                [
                    "class": "bar", "x": "0", "y": LineChart.number(top + 18),
                    "width": LineChart.number(length), "height": "13",
                ]
            ),
            LineChart.label(bar.label, location: (length + 6, top + 29), anchor: "start"),
        ]
    }
}
