import Telemetry
import TerminalUI
import Text

/// The latency screen: a list of operations, and a histogram and heat map of the selected
/// operation.
struct LatencyScreen: RunScreen {
    static let title = "Latency"
    static let help = "latency: histogram and heat map"
    static let highlightsFirstRow = true

    /// The Tab key selects a part of an access (response, wait, or service) instead of a part of the
    /// screen, so Enter always has an effect.
    static func canExpand(_ view: ListView) -> Bool { true }

    let scene: ScreenScene

    private var allSeries: [OperationHistory.Series] { scene.history.latencies.series }

    var rowNames: [String] { allSeries.map(\.name) }

    private var part: LatencyPart {
        let count = LatencyPart.allCases.count
        return LatencyPart(rawValue: ((scene.view.focus % count) + count) % count) ?? .response
    }

    private var selected: OperationHistory.Series? {
        allSeries.first { $0.name == scene.view.selected } ?? allSeries.first
    }

    private var end: Double { scene.history.windowEnd(scene.seconds) }

    func draw(on canvas: inout Canvas, in rect: Rect) {
        guard let selected else {
            drawPlaceholder(on: &canvas, in: rect)
            return
        }
        let isExpanded = scene.view.isExpanded
        let list = Track(
            minimum: isExpanded ? 0 : 4,
            ideal: isExpanded ? 0 : min(allSeries.count + 3, rect.height / 3),
            maximum: isExpanded ? 0 : allSeries.count + 3,
            priority: 7,
            flex: 0
        )
        let slow = Track(minimum: 5, ideal: 5, maximum: 5, priority: 6, flex: 0)
        let heat = Track(minimum: 7, ideal: rect.height / 3, priority: 8, flex: 2)
        let bars = Track(minimum: 7, ideal: rect.height / 4, priority: 9, flex: 1)
        let areas = rect.rows(Track.lengths(of: [list, slow, heat, bars], available: rect.height))
        let chosen = selected.distribution(part, from: end - scene.seconds, to: end)
        drawList(selected, on: &canvas, in: areas[0])
        drawSlow(selected, on: &canvas, in: areas[1])
        drawHeat(selected, on: &canvas, in: areas[2])
        drawBars(
            selected,
            distribution: chosen,
            showsSlow: areas[1].height == 0,
            on: &canvas,
            in: areas[3]
        )
    }

    // MARK: Breakdown of slow accesses

    private func slowParts(of series: OperationHistory.Series) -> SlowParts? {
        let client = scene.history.displayedSample?.clients.first { $0.name == series.client }
        return client?.slow.map(SlowParts.init)
    }

    private func drawSlow(
        _ series: OperationHistory.Series,
        on canvas: inout Canvas,
        in rect: Rect
    ) {
        guard rect.height >= 5 else { return }
        let theme = canvas.theme
        let slow = slowParts(of: series)
        let inner = Panel(
            title: "\(series.client): breakdown of its slowest accesses",
            subtitle: slow?.scope ?? "",
            remark: scene.history.spanLabel(Verdict.seconds)
        ).draw(on: &canvas, in: rect)
        guard let slow else {
            let text = "no measured access of \(series.client) ended in the last 10 s"
            canvas.write(text, in: inner.row(0), style: theme.style(.dim), alignment: .leading)
            return
        }
        var sentence = slow.sentence(theme: theme, isShort: false)
        if canvas.width(of: sentence) > inner.width {
            sentence = slow.sentence(theme: theme, isShort: true)
        }
        canvas.write(sentence, x: inner.minX, y: inner.minY, limit: inner.width)
        slow.drawBar(on: &canvas, in: inner.row(1))
        let holders =
            slow.holderText(theme: theme) ?? [Span("no waits for other clients", theme.style(.dim))]
        canvas.write(holders, x: inner.minX, y: inner.minY + 2, limit: inner.width)
    }

    private func drawPlaceholder(on canvas: inout Canvas, in rect: Rect) {
        let inner = Panel(title: "Latency").draw(on: &canvas, in: rect)
        let text = "no access has ended yet; distributions update once per second"
        let style = canvas.theme.style(.dim)
        canvas.write(text, in: inner.row(0), style: style, alignment: .leading)
    }

    // MARK: List

    private func drawList(
        _ selected: OperationHistory.Series,
        on canvas: inout Canvas,
        in rect: Rect
    ) {
        guard rect.height >= 3 else { return }
        let inner = Panel(
            title: "Latency",
            subtitle: "by client and operation",
            remark: "\(scope), accurate to 12%; –: too few samples"
        ).draw(on: &canvas, in: rect)
        let distributions = allSeries.map { series in
            LatencyPart.allCases.map { series.distribution($0, from: end - scene.seconds, to: end) }
        }
        let tails = Self.tails.filter { tail in
            distributions.contains { $0[0].percentile(tail) != nil }
        }
        var table = Table(
            columns: Self.columns(tails: tails),
            rows: rows(distributions, tails: tails, theme: canvas.theme)
        )
        table.names = rowNames
        table.selected = selected.name
        table.draw(on: &canvas, in: inner)
    }

    private var scope: String { "last \(HumanUnits.secondsLabel(scene.seconds))" }

    /// The percentiles shown only if at least one row has enough accesses.
    private static let tails = [99.9, 99.99]

    private static func columns(tails: [Double]) -> [Table.Column] {
        func number(_ title: String, priority: Int) -> Table.Column {
            Table.Column(
                title: title,
                alignment: .trailing,
                track: .fixed(max(HumanUnits.durationWidth, title.utf8.count), priority: priority)
            )
        }
        let leading = [
            Table.Column(
                title: "client",
                track: Track(minimum: 10, ideal: 22, maximum: 30, priority: 20, flex: 1)
            ),
            Table.Column(title: "load", track: .fixed(6, priority: 4)),
            number("accesses", priority: 12),
            number("resp p50", priority: 14), number("resp p99", priority: 19),
        ]
        let trailing = [
            number("wait p50", priority: 9), number("wait p99", priority: 15),
            number("serv p50", priority: 8), number("serv p99", priority: 13),
            number("slowest", priority: 10),
        ]
        return leading + tails.map { number("resp p\($0)", priority: 7) } + trailing
    }

    private func rows(
        _ distributions: [[LatencyDistribution]],
        tails: [Double],
        theme: Theme
    ) -> [[Span]] {
        let text = theme.style(.text)
        let dim = theme.style(.dim)
        return zip(allSeries, distributions).map { series, parts in
            func cell(_ value: UInt64?) -> Span {
                value.map { Span(HumanUnits.duration(nanoseconds: $0), text) } ?? Span("–", dim)
            }
            var cells = parts.map { [cell($0.percentile(50)), cell($0.percentile(99))] }
            cells[0] += tails.map { cell(parts[0].percentile($0)) }
            return [
                Span(series.name, theme.bold(.text)),
                Span(series.isOpenLoop ? "open" : "closed", dim),
                Span(HumanUnits.count(parts[0].count), text),
            ] + cells.joined() + [cell(parts[0].upperBound)]
        }
    }

    // MARK: Heat map

    private func drawHeat(
        _ series: OperationHistory.Series,
        on canvas: inout Canvas,
        in rect: Rect
    ) {
        guard rect.height >= 5 else { return }
        let weights = HeatMap.weights(in: canvas.glyphs)
        let legend = weights.enumerated().map { index, weight in
            Span(weight, canvas.theme.style(.load, at: Double(index + 1) / Double(weights.count)))
        }
        let inner = Panel(
            title: "\(series.name): \(part.title) over time",
            subtitle: "one column per interval; denser shading means more accesses",
            remark: scope,
            legend: [
                [Span("few ", canvas.theme.style(.dim))] + legend + [
                    Span(" many", canvas.theme.style(.dim))
                ]
            ]
        ).draw(on: &canvas, in: rect)
        let map = Rect(x: inner.minX, y: inner.minY, width: inner.width, height: inner.height - 1)
        // If there is room, labels include the upper bound of a row.
        let showsRanges = map.width >= 48
        let axis = showsRanges ? BucketRange.width + 1 : HumanUnits.durationWidth + 2
        guard map.height > 1, map.width > axis + 4 else { return }
        let plot = Rect(
            x: map.minX + axis,
            y: map.minY,
            width: map.width - axis,
            height: map.height
        )
        let bins = columns(of: series, count: plot.width)
        guard let range = Self.range(of: bins) else { return }
        // A row may cover several buckets, and a bucket may cover several rows. Each cell shows the
        // mean of the buckets in its row.
        let rows = (0..<plot.height).map { row in
            let low = range.lowerBound + row * range.count / plot.height
            let high = range.lowerBound + (row + 1) * range.count / plot.height
            return low..<max(high, low + 1)
        }
        let cells = bins.map { bin in
            rows.map { row in
                row.reduce(0.0) { $0 + Double(bin?[$1] ?? 0) } / Double(row.count)
            }
        }
        var labels: [Int: String] = [:]
        for row in Self.labeledRows(of: rows.count) {
            let range = BucketRange(buckets: rows[row])
            labels[row] = showsRanges ? range.text : range.lowerBoundText
        }
        HeatMap(columns: cells, labels: labels, axisWidth: axis).draw(on: &canvas, in: map)
        TimeChart.drawTimes(
            on: &canvas,
            in: Rect(x: plot.minX, y: map.maxY, width: plot.width, height: 1),
            seconds: scene.seconds,
            end: scene.history.endLabel(scene.seconds)
        )
        scene.markTime(on: &canvas, in: plot)
    }

    /// Returns the indices of about five rows to label, including the first and last rows.
    private static func labeledRows(of rows: Int) -> [Int] {
        let step = max(1, (rows + 4) / 5)
        var offsets = Array(stride(from: 0, to: rows, by: step))
        guard let last = offsets.last, last < rows - 1 else { return offsets }
        if offsets.count > 1, rows - 1 - last < (step + 1) / 2 { offsets.removeLast() }
        return offsets + [rows - 1]
    }

    /// Returns the index of the interval that contains a time, limited to -1 through `count`.
    private static func intervalIndex(_ time: Double, length: Double, count: Int) -> Int {
        let index = (time / length).rounded(.down)
        return index.isFinite ? Int(min(max(index, -1), Double(count))) : -1
    }

    /// Returns the distribution of each of `count` equal intervals.
    ///
    /// If an interval is shorter than a second, each second fills several intervals.
    private func columns(
        of series: OperationHistory.Series,
        count: Int
    ) -> [LatencyDistribution?] {
        let length = scene.seconds / Double(count)
        var bins = Array(repeating: LatencyDistribution?.none, count: count)
        series.visitIntervals(from: end - scene.seconds, to: end) { second, start in
            let distribution = second.distribution(part)
            let last = Self.intervalIndex(
                second.time - (end - scene.seconds),
                length: length,
                count: count
            )
            let first =
                Self.intervalIndex(start - (end - scene.seconds), length: length, count: count) + 1
            for index in max(first, 0)...max(last, first, 0) where index < count {
                if bins[index] == nil {
                    bins[index] = distribution
                } else {
                    bins[index]?.add(distribution)
                }
            }
        }
        return bins
    }

    private static func range(of bins: [LatencyDistribution?]) -> Range<Int>? {
        var low = Int.max
        var high = -1
        for bin in bins {
            guard let bin, !bin.counts.isEmpty else { continue }
            low = min(low, bin.firstBucket)
            high = max(high, bin.firstBucket + bin.counts.count - 1)
        }
        return high >= low ? low..<high + 1 : nil
    }

    // MARK: Histogram

    private func drawBars(
        _ series: OperationHistory.Series,
        distribution: LatencyDistribution,
        showsSlow: Bool,
        on canvas: inout Canvas,
        in rect: Rect
    ) {
        guard rect.height >= 5 else { return }
        let theme = canvas.theme
        let next = LatencyPart(rawValue: (part.rawValue + 1) % LatencyPart.allCases.count) ?? .wait
        // Show a summary if the breakdown panel does not fit.
        let summary = showsSlow ? slowParts(of: series)?.summary(theme: theme) : nil
        // Each entry in the border has two margins, and entries are separated by a gap.
        let room = rect.width - 6 - (summary.map { canvas.width(of: $0) + 3 } ?? 0)
        let hint =
            ["press Tab to see the \(next.title)", "Tab: show \(next.title)"]
            .first { canvas.width(of: $0) <= room } ?? "\(next.title): Tab"
        let legend = [[Span(hint, theme.style(.dim))]] + (summary.map { [$0] } ?? [])
        let inner = Panel(
            title: "\(series.name): \(part.title)",
            subtitle: part.meaning(isOpenLoop: series.isOpenLoop),
            legend: legend
        ).draw(on: &canvas, in: rect)
        guard let first = distribution.counts.firstIndex(where: { $0 > 0 }),
            let last = distribution.counts.lastIndex(where: { $0 > 0 })
        else {
            let text = "no access ended in this interval"
            canvas.write(text, in: inner.row(0), style: theme.style(.dim), alignment: .leading)
            return
        }
        // Show two more buckets on each side.
        let low = max(0, distribution.firstBucket + first - 2)
        let high = distribution.firstBucket + last + 2
        func share(_ nanoseconds: UInt64) -> Double {
            let bucket = LatencyDistribution.bucket(of: nanoseconds)
            let lower = Double(LatencyDistribution.lowerBound(of: bucket))
            let upper = Double(
                max(LatencyDistribution.lowerBound(of: bucket + 1), UInt64(lower) + 1)
            )
            let within = min(max((Double(nanoseconds) - lower) / (upper - lower), 0), 1)
            return (Double(bucket - low) + within) / Double(high - low + 1)
        }
        var lines: [Histogram.Mark] = []
        let percentiles: [(String, Double, Role)] = [
            ("p99", 99, .error), ("p50", 50, .accent), ("p95", 95, .warning),
        ]
        for (name, value, role) in percentiles {
            guard let nanoseconds = distribution.percentile(value) else { continue }
            let label = "\(name) \(HumanUnits.duration(nanoseconds: nanoseconds))"
            lines.append(.init(share: share(nanoseconds), label: label, role: role))
        }
        let step = max(1, (high - low + 1) / max(1, inner.width / 12))
        let ticks = stride(from: low, through: high, by: step).map { bucket in
            Histogram.Mark(
                share: Double(bucket - low) / Double(high - low + 1),
                label: HumanUnits.duration(
                    nanoseconds: LatencyDistribution.lowerBound(of: bucket)
                )
            )
        }
        Histogram(
            values: (low...high).map { Double(distribution[$0]) },
            ticks: ticks,
            lines: lines
        ).draw(on: &canvas, in: inner)
    }
}

/// The range of latencies in one row of a heat map.
struct BucketRange {
    /// The shortest latency, in nanoseconds.
    let low: UInt64
    /// The exclusive upper bound, in nanoseconds, or `nil` for no bound.
    let high: UInt64?

    static let width = 2 * HumanUnits.durationWidth + 1

    /// Creates the range that covers buckets of a ``LatencyDistribution``.
    init(buckets: Range<Int>) {
        low = LatencyDistribution.lowerBound(of: buckets.lowerBound)
        high =
            buckets.upperBound < LatencyDistribution.bucketCount
            ? LatencyDistribution.lowerBound(of: buckets.upperBound) : nil
    }

    /// The range, such as `16.8–21.0 ms` or `786 µs–1.05 ms`.
    ///
    /// A unit that both bounds share appears only once.
    var text: String {
        guard let high else { return lowerBoundText }
        let lowText = HumanUnits.duration(nanoseconds: low)
        let highText = HumanUnits.duration(nanoseconds: high)
        guard let space = lowText.lastIndex(of: " "), let highSpace = highText.lastIndex(of: " "),
            lowText[space...] == highText[highSpace...]
        else { return "\(lowText)–\(highText)" }
        return "\(lowText[..<space])–\(highText)"
    }

    /// The lower bound, such as `≥16.8 ms`, for narrow labels.
    var lowerBoundText: String { "≥" + HumanUnits.duration(nanoseconds: low) }
}
