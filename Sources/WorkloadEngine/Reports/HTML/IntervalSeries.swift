/// The seconds of a run, combined into fewer points to keep pages small.
///
/// Each point shows the worst value of the seconds that it represents.
struct IntervalSeries {
    /// The maximum number of points in a line.
    static let limit = 240

    private let bins: [ArraySlice<IntervalResult>]

    init(_ intervals: [IntervalResult]) {
        let size = max(1, (intervals.count + Self.limit - 1) / Self.limit)
        bins = stride(from: 0, to: intervals.count, by: size).map {
            intervals[$0..<min($0 + size, intervals.count)]
        }
    }

    /// Whether points represent several seconds.
    var isThinned: Bool { bins.contains { $0.count > 1 } }

    /// Returns the largest value among the seconds of each point, or `nil` if a point has no
    /// values.
    func worst(_ value: (IntervalResult) -> Double?) -> [(x: Double, y: Double?)] {
        bins.map { bin in (bin.last?.time ?? 0, bin.compactMap(value).max()) }
    }

    /// The end of the last second.
    var end: Double { bins.last?.last?.time ?? 0 }

    /// The times that are not measured.
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

    /// Returns a line chart over the run's time, with a table of its values.
    func chart(
        id: String,
        title: String,
        y: ChartAxis,
        lines: [(name: String, value: (IntervalResult) -> Double?)]
    ) -> LineChart {
        let series = lines.map { LineChart.Series(name: $0.name, points: worst($0.value)) }
        var table = HTMLTable(
            title + (isThinned ? ", worst of several seconds per point" : ""),
            columns: ["second"] + lines.map(\.name)
        )
        for (index, bin) in bins.enumerated() {
            table.add(
                [HumanUnits.plain(bin.last?.time ?? 0)]
                    + series.map { $0.points[index].y.map(y.words) ?? "–" }
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

    /// Returns the largest value, for an axis.
    func most(_ value: (IntervalResult) -> Double?) -> Double {
        worst(value).compactMap(\.y).max() ?? 0
    }
}
