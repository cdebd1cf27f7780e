import Telemetry
import TerminalUI
import Text

/// The screen that compares the arms of this session.
///
/// A table shows the median of each metric as a bar on a common scale. Charts with common axes show
/// the selected metric over time.
struct CompareScreen: RunScreen {
    static let title = "Compare"
    static let help = "compare: this session's arms"
    static let parts = ["table", "time"]
    static let highlightsFirstRow = true

    let scene: ScreenScene

    private var arms: [ArmRecord] { scene.history.arms.filter { !$0.metrics.isEmpty } }

    /// The metrics of all arms, in the order of first appearance.
    private var metrics: [ArmMetric] {
        var metrics: [ArmMetric] = []
        for arm in arms {
            for metric in arm.metrics
            where !metrics.contains(metric)
                && arms.contains(where: { $0.median(of: metric).isFinite })
            {
                metrics.append(metric)
            }
        }
        return metrics
    }

    var rowNames: [String] { metrics.map(\.title) }

    private var selected: ArmMetric? {
        metrics.first { $0.title == scene.view.selected } ?? metrics.first
    }

    func draw(on canvas: inout Canvas, in rect: Rect) {
        let arms = arms
        guard let selected else {
            drawPlaceholder(on: &canvas, in: rect)
            return
        }
        let table = Track(
            minimum: 5,
            ideal: metrics.count + 4,
            maximum: metrics.count + 4,
            priority: 9,
            flex: 1
        )
        let charts = Track(minimum: 5, ideal: 9, priority: 5, flex: 2)
        var areas = rect.rows(Track.lengths(of: [table, charts], available: rect.height))
        if let part = scene.expandedPart {
            let emptyArea = Rect(x: rect.minX, y: rect.minY, width: 0, height: 0)
            areas = areas.indices.map { $0 == part ? rect : emptyArea }
        }
        drawTable(arms, selected: selected, on: &canvas, in: areas[0])
        drawCharts(arms, metric: selected, on: &canvas, in: areas[1])
        for (part, area) in areas.enumerated() { scene.markPart(part, on: &canvas, in: area) }
    }

    private func drawPlaceholder(on canvas: inout Canvas, in rect: Rect) {
        let inner = Panel(title: "Arms in this session").draw(on: &canvas, in: rect)
        // A replay has no key for the next arm.
        let hint = scene.keys.key(for: .nextArm).map { "; '\($0.label)' runs the next arm" } ?? ""
        let text =
            "The measured part of the first arm has not started. After it starts, each arm has a "
            + "column here with the medians of its per-second values\(hint)."
        for (index, line) in TextWrapping.lines(of: text, width: inner.width).enumerated() {
            let style = canvas.theme.style(.dim)
            canvas.write(line, in: inner.row(index), style: style, alignment: .leading)
        }
    }

    // MARK: Table

    private func drawTable(
        _ arms: [ArmRecord],
        selected: ArmMetric,
        on canvas: inout Canvas,
        in rect: Rect
    ) {
        guard rect.height >= 4 else { return }
        let theme = canvas.theme
        let inner = Panel(
            title: "Arms in this session",
            subtitle: "medians of per-second values, bars on one scale",
            remark: "measured seconds only; significance is not tested"
        ).draw(on: &canvas, in: rect)
        let cells = inner.columns(Self.widths(arms, in: inner.width), spacing: 2)
        for (arm, cell) in zip(arms, cells.dropFirst()) where cell.width > 0 {
            let name = arm.isRunning ? "● \(arm.name)" : arm.name
            let style = arm.isRunning ? theme.bold(.accent) : theme.bold(.title)
            canvas.write(name, in: cell.row(0), style: style, alignment: .leading)
            let seconds = HumanUnits.secondsLabel(Double(arm.times.count))
            let kind = "\(arm.kind), \(seconds)"
            canvas.write(kind, in: cell.row(1), style: theme.style(.dim), alignment: .leading)
        }
        if let last = cells.last, last.width > 0 {
            canvas.write(
                "description",
                in: last.row(0),
                style: theme.style(.dim),
                alignment: .leading
            )
        }
        let room = max(0, inner.height - 2)
        let position = metrics.firstIndex(of: selected) ?? 0
        let first = max(0, min(position - room / 2, metrics.count - room))
        for (index, metric) in metrics.dropFirst(first).prefix(room).enumerated() {
            let y = index + 2
            let row = inner.row(y)
            draw(metric, of: arms, on: &canvas, cells: cells.map { $0.row(y) })
            canvas.mark(row, as: .row(metric.title))
            if metric == selected { canvas.select(row) }
        }
    }

    /// Returns the widths of the title column, the arm columns, and the description column.
    ///
    /// All displayed arm columns have the same width, which makes their bars comparable.
    private static func widths(_ arms: [ArmRecord], in width: Int) -> [Int] {
        let titleWidth = 18
        let minimumWidth = HumanUnits.bytesWidth + 8
        let descriptionWidth = width >= titleWidth + 28 + arms.count * (minimumWidth + 8) ? 26 : 0
        let room = max(0, width - titleWidth - (descriptionWidth > 0 ? descriptionWidth + 2 : 0))
        let count = min(arms.count, max(1, room / (minimumWidth + 2)))
        let armWidth = min(room / max(count, 1) - 2, 46)
        // If there are too many arms, show the newest arms and the running arm.
        let running = arms.lastIndex(where: \.isRunning)
        var shown = Set(arms.indices.suffix(count))
        if let running, !shown.contains(running), let first = shown.min() {
            shown.remove(first)
            shown.insert(running)
        }
        return [titleWidth] + arms.indices.map { shown.contains($0) ? armWidth : 0 }
            + [descriptionWidth]
    }

    private func draw(
        _ metric: ArmMetric,
        of arms: [ArmRecord],
        on canvas: inout Canvas,
        cells: [Rect]
    ) {
        let theme = canvas.theme
        canvas.write(metric.title, in: cells[0], style: theme.style(.text), alignment: .leading)
        if let last = cells.last, last.width > 0 {
            let style = theme.style(.dim)
            canvas.write(metric.meaningOfMedian, in: last, style: style, alignment: .leading)
        }
        let medians = arms.map { $0.median(of: metric) }
        let largest = medians.reduce(0) { $1.isFinite ? max($0, $1) : $0 }
        for (median, cell) in zip(medians, cells.dropFirst()) where cell.width > 0 {
            let number = Rect(
                x: cell.minX,
                y: cell.minY,
                width: HumanUnits.bytesWidth,
                height: 1
            )
            let style = theme.style(median.isFinite ? .text : .dim)
            canvas.write(metric.text(median), in: number, style: style, alignment: .trailing)
            let bar = Rect(
                x: number.maxX + 1,
                y: cell.minY,
                width: cell.width - number.width - 1,
                height: 1
            )
            guard bar.width >= 3, median.isFinite else { continue }
            let share = largest > 0 ? median / largest : 0
            Meter(share: share, gradient: .readers).draw(on: &canvas, in: bar)
        }
    }

    // MARK: Charts

    private func drawCharts(
        _ arms: [ArmRecord],
        metric: ArmMetric,
        on canvas: inout Canvas,
        in rect: Rect
    ) {
        guard rect.height >= 5 else { return }
        let inner = Panel(
            title: "\(metric.title) over time",
            subtitle: "\(metric.meaning), all arms on the same axes",
            remark: "from the first measured second"
        ).draw(on: &canvas, in: rect)
        let shown = arms.filter { $0.series(of: metric) != nil }
        let chartCount = min(shown.count, max(1, inner.height / 3))
        guard chartCount > 0, inner.width > 40 else { return }
        let latest = Array(shown.suffix(chartCount))
        var top = 0.0
        var seconds = 1.0
        for arm in latest {
            guard let series = arm.series(of: metric) else { continue }
            for index in 0..<series.count where series[index].isFinite {
                top = max(top, Double(series[index]))
            }
            seconds = max(seconds, Double(series.count))
        }
        let height = inner.height / chartCount
        for (index, arm) in latest.enumerated() {
            guard let series = arm.series(of: metric) else { continue }
            let area = Rect(
                x: inner.minX,
                y: inner.minY + index * height,
                width: inner.width,
                height: height
            )
            draw(
                arm,
                series: series,
                metric: metric,
                top: top,
                seconds: seconds,
                on: &canvas,
                in: area
            )
        }
    }

    private func draw(
        _ arm: ArmRecord,
        series: RingBuffer<Float>,
        metric: ArmMetric,
        top: Double,
        seconds: Double,
        on canvas: inout Canvas,
        in area: Rect
    ) {
        let theme = canvas.theme
        let labels = Rect(x: area.minX, y: area.minY, width: 18, height: area.height)
        canvas.write(arm.name, in: labels.row(0), style: theme.bold(.title), alignment: .leading)
        canvas.write(
            "to \(metric.text(top))",
            in: labels.row(1),
            style: theme.style(.dim),
            alignment: .leading
        )
        if area.height > 2 {
            let time = "\(HumanUnits.secondsLabel(Double(series.count)))"
            canvas.write(time, in: labels.row(2), style: theme.style(.dim), alignment: .leading)
        }
        let plot = Rect(
            x: labels.maxX + 1,
            y: area.minY,
            width: area.maxX - labels.maxX - 1,
            height: area.height - (area.height > 3 ? 1 : 0)
        )
        let points = Sparkline.points(in: plot.width, glyphs: canvas.glyphs)
        let values: [Double] = (0..<points).map { point in
            let position = Int(Double(point) * seconds / Double(points))
            return position < series.count ? Double(series[position]) : .nan
        }
        Sparkline(values: values, maximum: top, gradient: .readers).draw(on: &canvas, in: plot)
    }
}

extension ArmRecord {
    fileprivate func median(of metric: ArmMetric) -> Double {
        metrics.firstIndex(of: metric).map { medians[$0] } ?? .nan
    }

    fileprivate func series(of metric: ArmMetric) -> RingBuffer<Float>? {
        metrics.firstIndex(of: metric).map { series[$0] }
    }
}
