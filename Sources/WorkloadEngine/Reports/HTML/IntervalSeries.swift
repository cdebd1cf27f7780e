/// The seconds of a run as a chart takes them: at most so many points that a page stays small, each
/// the worst of the seconds that it stands for.
struct IntervalSeries {
    /// The most points of a line.
    static let limit = 240

    private let bins: [ArraySlice<IntervalResult>]

    init(_ intervals: [IntervalResult]) {
        let size = max(1, (intervals.count + Self.limit - 1) / Self.limit)
        bins = stride(from: 0, to: intervals.count, by: size).map {
            intervals[$0..<min($0 + size, intervals.count)]
        }
    }

    /// Whether points stand for several seconds.
    var isThinned: Bool { bins.contains { $0.count > 1 } }

    /// The largest value of each point's seconds; nil where no second has one.
    func worst(_ value: (IntervalResult) -> Double?) -> [(x: Double, y: Double?)] {
        bins.map { bin in (bin.last?.time ?? 0, bin.compactMap(value).max()) }
    }

    /// When the last second ends.
    var end: Double { bins.last?.last?.time ?? 0 }

    /// The stretches of time that do not count in the result.
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

    /// A line chart over the run's time, with its table.
    func chart(
        id: String,
        title: String,
        y: ChartAxis,
        lines: [(name: String, value: (IntervalResult) -> Double?)]
    ) -> LineChart {
        let series = lines.map { LineChart.Series(name: $0.name, points: worst($0.value)) }
        var table = HTMLTable(
            title + (isThinned ? ", the worst of several seconds each" : ""),
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

    /// The largest of some values, for an axis.
    func most(_ value: (IntervalResult) -> Double?) -> Double {
        worst(value).compactMap(\.y).max() ?? 0
    }
}
