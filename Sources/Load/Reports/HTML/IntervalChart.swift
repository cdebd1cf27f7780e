import Text
import WorkloadEngine

/// A chart of estimates with their intervals on a ratio axis.
///
/// In each row, a band marks the differences that are noise.
struct IntervalChart {
    struct Row {
        var name: String
        var ratio: Double?
        var low: Double?
        var high: Double?
        /// The noise floor, at least 1.
        ///
        /// Ratios between 1 / `floor` and `floor` are noise.
        var floor: Double?
        var verdict: String
        /// Whether the true ratio is farther from 1.
        var isBound = false
    }

    let id: String
    let title: String
    let rows: [Row]

    private static let width = 400.0
    private static let rowHeight = 40.0
    private static let leftInset = 12.0
    private static let rightInset = 12.0
    private static let bottomInset = 34.0
    /// The maximum number of characters of a name, which fit the width of the chart.
    private static let maximumNameLength = 60

    private var axis: ChartAxis {
        .ratio("ratio", values: rows.flatMap { [$0.ratio, $0.low, $0.high].compactMap { $0 } })
    }

    var markup: Markup {
        guard !rows.isEmpty else { return .empty }
        let height = Self.rowHeight * Double(rows.count) + Self.bottomInset
        let axis = axis
        let head: [Markup] = [
            .element("title", ["id": "\(id)-title"], .text(title)),
            .element("desc", ["id": "\(id)-description"], .text(description)),
        ]
        let drawing = Markup.element(
            "svg",
            [
                "viewBox": "0 0 \(LineChart.number(Self.width)) \(LineChart.number(height))",
                "role": "img",
                "aria-labelledby": "\(id)-title \(id)-description",
            ],
            head + bands(axis) + frame(axis)
                + rows.enumerated().flatMap { draw($0, row: $1, axis: axis) }
        )
        return .element(
            "figure",
            [:],
            [.element("figcaption", [:], .text(title)), drawing, legend]
        )
    }

    private var description: String {
        let estimates = rows.map { row in
            guard let ratio = row.ratio, let low = row.low, let high = row.high else {
                return "\(row.name): no estimate, \(row.verdict)"
            }
            return
                "\(row.name): \(row.isBound ? ratio < 1 ? "at most " : "at least " : "")"
                + "\(ReportUnits.roundRatio(ratio)), from \(ReportUnits.roundRatio(low)) to "
                + "\(ReportUnits.roundRatio(high)), \(row.verdict)"
        }
        return
            "Ratios with their intervals on a logarithmic axis. "
            + estimates.joined(separator: "; ") + "."
    }

    private var legend: Markup {
        .element(
            "p",
            ["class": "note"],
            "Dots are estimates, lines are their intervals; differences in the gray band are noise."
        )
    }

    private func xPosition(_ ratio: Double, axis: ChartAxis) -> Double {
        Self.leftInset
            + axis.position(of: ratio) * (Self.width - Self.leftInset - Self.rightInset)
    }

    private func bands(_ axis: ChartAxis) -> [Markup] {
        rows.enumerated().compactMap { index, row in
            guard let floor = row.floor, floor.isFinite, floor >= 1 else { return nil }
            let from = xPosition(1 / floor, axis: axis)
            return .element(
                "rect",
                [
                    "class": "band", "x": LineChart.number(from),
                    "y": LineChart.number(Double(index) * Self.rowHeight + 18),
                    "width": LineChart.number(max(1, xPosition(floor, axis: axis) - from)),
                    "height": "18",
                ]
            )
        }
    }

    private func frame(_ axis: ChartAxis) -> [Markup] {
        let bottom = Self.rowHeight * Double(rows.count)
        return axis.ticks.flatMap { tick in
            let x = xPosition(tick.value, axis: axis)
            return [
                LineChart.line(tick.value == 1 ? "zero" : "grid", (x, 18), (x, bottom)),
                LineChart.label(tick.label, location: (x, bottom + 15), anchor: "middle"),
            ]
        }
    }

    private func draw(_ index: Int, row: Row, axis: ChartAxis) -> [Markup] {
        let top = Double(index) * Self.rowHeight
        let name = row.name + ": " + row.verdict
        let short =
            name.count > Self.maximumNameLength
            ? name.prefix(Self.maximumNameLength - 1) + "…" : name[...]
        var parts = [
            LineChart.label(String(short), location: (0, top + 13), anchor: "start", style: "value")
        ]
        guard let ratio = row.ratio else { return parts }
        let middle = top + 27
        if let low = row.low, let high = row.high {
            parts.append(
                LineChart.line(
                    "s0 stroke",
                    (xPosition(low, axis: axis), middle),
                    (xPosition(high, axis: axis), middle)
                )
            )
        }
        parts.append(
            .element(
                "circle",
                [
                    "class": "s0 mark", "cx": LineChart.number(xPosition(ratio, axis: axis)),
                    "cy": LineChart.number(middle), "r": "4",
                ]
            )
        )
        return parts
    }
}

/// The intervals of a run, combined into fewer points to limit the size of the page.
///
/// Each point shows the maximum value in its intervals.
struct IntervalSeries {
    private static let maximumPointCount = 240

    private let bins: [ArraySlice<IntervalResult>]

    init(_ intervals: [IntervalResult]) {
        let size = max(1, (intervals.count + Self.maximumPointCount - 1) / Self.maximumPointCount)
        bins = stride(from: 0, to: intervals.count, by: size).map {
            intervals[$0..<min($0 + size, intervals.count)]
        }
    }

    var isThinned: Bool { bins.contains { $0.count > 1 } }

    /// Returns the maximum value of each point, or `nil` for a point without values.
    func maxima(_ value: (IntervalResult) -> Double?) -> [(x: Double, y: Double?)] {
        bins.map { bin in (bin.last?.time ?? 0, bin.compactMap(value).max()) }
    }

    var end: Double { bins.last?.last?.time ?? 0 }

    /// The time ranges that are not measured, in seconds since the start of the load.
    var unmeasured: [ClosedRange<Double>] {
        var bands: [ClosedRange<Double>] = []
        for interval in bins.joined() where !interval.measured {
            let start = max(0, interval.time - interval.duration)
            if let last = bands.last, start - last.upperBound < 0.05 {
                bands[bands.count - 1] = last.lowerBound...max(last.upperBound, interval.time)
            } else {
                bands.append(start...max(start, interval.time))
            }
        }
        return bands
    }

    func chart(
        id: String,
        title: String,
        y: ChartAxis,
        lines: [(name: String, value: (IntervalResult) -> Double?)]
    ) -> LineChart {
        let series = lines.map { LineChart.Series(name: $0.name, points: maxima($0.value)) }
        var table = HTMLTable(
            title + (isThinned ? ", worst of several seconds per point" : ""),
            columns: ["second"] + lines.map(\.name)
        )
        for (index, bin) in bins.enumerated() {
            table.add(
                [ReportUnits.plain(bin.last?.time ?? 0)]
                    + series.map { $0.points[index].y.map(y.format) ?? "–" }
            )
        }
        return LineChart(
            id: id,
            title: title,
            x: .seconds(upTo: end),
            y: y,
            series: series,
            bands: unmeasured,
            bandMeaning: "not measured",
            table: table
        )
    }

    func maximum(_ value: (IntervalResult) -> Double?) -> Double {
        maxima(value).compactMap(\.y).max() ?? 0
    }
}
