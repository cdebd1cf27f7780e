import Text

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
