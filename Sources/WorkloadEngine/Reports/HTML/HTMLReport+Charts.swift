import Foundation
import Telemetry
import Text

extension HTMLReport {
    static func clients(_ run: ArmResult) -> [(name: String, result: ClientResult)] {
        run.clients.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    static func latencyOverTime(_ run: ArmResult, id: String) -> Markup {
        let seconds = IntervalSeries(run.intervals)
        let charts = clients(run).enumerated().compactMap { index, client -> Markup? in
            func pick(
                _ value: @escaping (LatencySummary) -> UInt64?
            ) -> (IntervalResult) -> Double? {
                { $0.clients[client.name]?.response.flatMap(value).map { Double($0) } }
            }
            let lines: [(name: String, value: (IntervalResult) -> Double?)] = [
                ("max", pick(\.max)), ("p99", pick(\.p99)), ("p90", pick(\.p90)),
                ("p50", pick(\.p50)),
            ].filter { line in seconds.maximum(line.value) > 0 }
            guard !lines.isEmpty else { return nil }
            let values = lines.flatMap { seconds.maxima($0.value).compactMap(\.y) }
            return seconds.chart(
                id: "\(id)-\(index)",
                title: "\(client.name): response over time",
                y: .latency("response", values),
                lines: lines
            ).markup
        }
        return charts.isEmpty ? .empty : .element("div", ["class": "charts"], .group(charts))
    }

    /// Returns charts of each client's percentiles, with the same width for each nine.
    static func percentiles(_ run: ArmResult, id: String) -> Markup {
        let charts = clients(run).enumerated().compactMap { index, client -> Markup? in
            let parts: [(String, LatencySpectrum?, LatencySummary?)] = [
                ("response", client.result.spectra?.response, client.result.response),
                ("wait", client.result.spectra?.wait, client.result.wait),
                ("service", client.result.spectra?.service, client.result.service),
            ]
            return percentileChart(
                id: "\(id)-\(index)",
                title: "\(client.name): percentiles",
                lines: parts
            )
        }
        return charts.isEmpty ? .empty : .element("div", ["class": "charts"], .group(charts))
    }

    static func percentilesByArm(_ runs: [ArmResult], id: String) -> Markup {
        let names = Set(runs.flatMap(\.clients.keys)).sorted()
        let charts = names.enumerated().compactMap { index, name in
            percentileChart(
                id: "\(id)-\(index)",
                title: "\(name): response on each arm",
                lines: runs.map {
                    ($0.arm, $0.clients[name]?.spectra?.response, $0.clients[name]?.response)
                }
            )
        }
        return charts.isEmpty ? .empty : .element("div", ["class": "charts"], .group(charts))
    }

    static func percentileChart(
        id: String,
        title: String,
        lines: [(name: String, spectrum: LatencySpectrum?, summary: LatencySummary?)]
    ) -> Markup? {
        let series = lines.map { line in
            LineChart.Series(
                name: line.name,
                points: line.spectrum.map(points) ?? line.summary.map(points) ?? []
            )
        }.filter { $0.points.count > 1 }
        guard !series.isEmpty else { return nil }
        let columns = LatencyColumns(for: lines.map(\.summary))
        var table = HTMLTable(
            "\(title), in numbers",
            columns: [""] + columns.titles + ["accesses"]
        )
        for line in lines {
            guard let summary = line.summary else { continue }
            table.add(
                [line.name] + columns.cells(summary) + [HumanUnits.exact(summary.count)]
            )
        }
        let all = series.flatMap(\.points)
        return LineChart(
            id: id,
            title: title,
            x: .percentiles(upTo: all.map(\.x).max() ?? 1),
            y: .latency("latency", all.compactMap(\.y)),
            series: series,
            table: table
        ).markup
    }

    /// Returns the latencies at the percentiles that have enough values above them.
    private static func points(_ spectrum: LatencySpectrum) -> [(x: Double, y: Double?)] {
        let count = Double(spectrum.count)
        var below = 0.0
        var points: [(x: Double, y: Double?)] = []
        for bucket in spectrum.buckets {
            if points.isEmpty { points.append((0, max(1, Double(bucket.lower)))) }
            below += Double(bucket.count)
            guard count - below >= Percentile.valuesBeyond else { break }
            points.append((-log10(1 - below / count), max(1, Double(bucket.upper))))
        }
        return points
    }

    private static func points(_ summary: LatencySummary) -> [(x: Double, y: Double?)] {
        let known: [(Double, UInt64?)] = [
            (0.5, summary.p50), (0.9, summary.p90), (0.95, summary.p95), (0.99, summary.p99),
            (0.999, summary.p999), (0.9999, summary.p9999),
        ]
        return known.compactMap { share, value in
            value.map { (-log10(1 - share), max(1, Double($0))) }
        }
    }

    static func saturation(_ run: ArmResult, id: String) -> [Markup] {
        let seconds = IntervalSeries(run.intervals)
        var charts: [Markup] = []
        if run.intervals.contains(where: { $0.utilization != nil }) {
            charts.append(
                seconds.chart(
                    id: "\(id)-readers",
                    title: "Readers in use, and time with all readers in use and an access waiting",
                    y: .share("share"),
                    lines: [("utilization", \.utilization), ("saturation", \.saturation)]
                ).markup
            )
        }
        if run.intervals.contains(where: { $0.waitingReaders != nil }) {
            let readers = { (interval: IntervalResult) in
                interval.waitingReaders.map { Double($0) }
            }
            let writers = { (interval: IntervalResult) in
                interval.waitingWriters.map { Double($0) }
            }
            charts.append(
                seconds.chart(
                    id: "\(id)-waiting",
                    title: "Waiting accesses at each point",
                    y: .count(
                        "accesses",
                        upTo: max(seconds.maximum(readers), seconds.maximum(writers))
                    ),
                    lines: [("to read", readers), ("to write", writers)]
                ).markup
            )
        }
        guard !charts.isEmpty || run.pool != nil else { return [] }
        return [.element("div", ["class": "charts"], .group(charts)), connections(run)]
    }

    static func log(_ run: ArmResult, id: String) -> [Markup] {
        guard let wal = run.wal else { return [] }
        var charts: [Markup] = []
        let seconds = IntervalSeries(run.intervals)
        let bytes = { (interval: IntervalResult) in interval.walBytes.map { Double($0) } }
        if seconds.maximum(bytes) > 0 {
            charts.append(
                seconds.chart(
                    id: "\(id)-size",
                    title: "Size of the write-ahead log",
                    y: .bytes("size", upTo: seconds.maximum(bytes)),
                    lines: [("size", bytes)]
                ).markup
            )
        }
        var causes: [String: UInt64] = [:]
        for pin in wal.pins { causes["\(pin.by), \(pin.cause)", default: 0] += pin.bytes }
        let bars = causes.filter { $0.value > 0 }
            .sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(8)
            .map {
                BarChart.Bar(
                    name: $0.key,
                    value: Double($0.value),
                    label: ReportUnits.bytes($0.value)
                )
            }
        charts.append(
            BarChart(
                id: "\(id)-causes",
                title: "Growth of the log by cause",
                bars: bars
            ).markup
        )
        var table = HTMLTable(
            "What kept the write-ahead log from shrinking",
            columns: ["client", "cause", "time", "growth in this time"],
            textColumnCount: 2
        )
        for pin in wal.pins {
            table.add([
                pin.by, pin.cause, ReportUnits.seconds(pin.seconds), ReportUnits.bytes(pin.bytes),
            ])
        }
        let size =
            "Peak \(ReportUnits.bytes(wal.peakBytes)), \(ReportUnits.bytes(wal.finalBytes)) at the end"
            + (wal.grownBytes.map { ", grew by \(ReportUnits.bytes($0)) in the measured time" }
                ?? "")
        let parts: [Markup] = [
            .paragraph(size + "."),
            .element("div", ["class": "charts"], .group(charts)),
            .list(wal.pins.prefix(5).map { TextReport.sentence($0) + "." }),
            table.markup,
        ]
        return wal.pins.isEmpty
            ? Array(parts.prefix(2)) + [.paragraph("Nothing kept the log from shrinking.")] : parts
    }
}
