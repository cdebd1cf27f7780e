import Telemetry
import TerminalUI
import Text

/// The panel with the demand over time: connections in use, waiters stacked above them, and the
/// limit above which accesses wait.
struct PoolPanel {
    let history: History
    let seconds: Double

    /// Returns the height, including the border.
    func track(isShort: Bool) -> Track {
        Track(minimum: 6, ideal: isShort ? 6 : 9, maximum: .max, priority: 80, flex: 3)
    }

    private var readers: ReaderPoolStatus? { history.displayedSample?.database.readers }

    func draw(on canvas: inout Canvas, in rect: Rect) {
        let theme = canvas.theme
        let limit = Double(readers?.maximum ?? 1)
        let inner = Panel(
            title: readers == nil ? "Single connection" : "Reader pool",
            subtitle: "demand over time",
            remark: remark,
            legend: legend(theme: theme, glyphs: canvas.glyphs)
        ).draw(on: &canvas, in: rect)
        let bins = TimeBins(
            history,
            seconds: seconds,
            count: TimeChart.points(in: inner.width, glyphs: canvas.glyphs)
        )
        let moments = history.moments
        let inUse = bins.values(.mean) { moments[$0].inUse }
        // The maximum in each interval makes short queues visible.
        var waiting = bins.values(.maximum) { moments[$0].waitingReaders }
        if readers == nil {
            let writers = bins.values(.maximum) { moments[$0].waitingWriters }
            for index in waiting.indices { waiting[index] += writers[index] }
        }
        var peak = limit + 0.01
        for index in inUse.indices where inUse[index].isFinite && waiting[index].isFinite {
            peak = max(peak, inUse[index] + waiting[index])
        }
        let top = TimeChart.niceMaximum(above: peak)
        let base = min(max(limit, 0), top)
        TimeChart(
            layers: [
                TimeChart.Layer(values: inUse, gradient: .readers, range: 0...base),
                TimeChart.Layer(
                    values: waiting,
                    gradient: .waiting,
                    range: base...top,
                    isShaded: true
                ),
            ],
            maximum: top,
            reference: (limit, "max \(HumanUnits.number(limit))"),
            seconds: seconds,
            end: history.endLabel(seconds)
        ).draw(on: &canvas, in: inner)
        history.markTime(seconds, on: &canvas, TimeChart.plot(in: inner))
    }

    private var remark: String {
        guard !history.isUnknown else { return "no response" }
        guard let readers else { return history.hidesConnections ? "unknown" : "" }
        if history.isOver {
            let maximumInUse = history.peaks.accesses.readersInUse ?? 0
            return "the run has ended; at most \(maximumInUse) of \(readers.maximum) in use"
        }
        let maximum = HumanUnits.counted(readers.maximum, "reader", "readers")
        let waking = history.displayedSample?.database.wakingReaders ?? 0
        let handedOver = waking > 0 ? " (\(waking) handed over)" : ""
        return "\(readers.inUse) of \(maximum) in use\(handedOver), \(readers.open) open"
    }

    private func legend(theme: Theme, glyphs: GlyphSet) -> [[Span]] {
        let solid = glyphs == .braille ? "⣿" : glyphs == .block ? "█" : "#"
        let shaded = glyphs == .braille ? "⢕" : glyphs == .block ? "▒" : ":"
        let dim = theme.style(.dim)
        return [
            [
                Span(solid, theme.style(.readers, at: 1)),
                Span(readers == nil ? " in use" : " readers in use", dim),
            ],
            [
                Span(shaded, theme.style(.waiting, at: 0.5)),
                Span(readers == nil ? " reads and writes waiting" : " reads waiting", dim),
            ],
            [
                Span(glyphs.referenceLine, theme.style(.limit)),
                Span(readers == nil ? " one at a time" : " maximumReaderCount", dim),
            ],
        ]
    }
}

extension DatabaseStatus {
    /// The number of readers handed over to waiters that have not started their accesses.
    var wakingReaders: Int {
        // Without a list of connections, the number is unknown.
        guard !connections.isEmpty else { return 0 }
        let busyCount = connections.count { $0.role == .reader && $0.state != .idle }
        return max(0, max(0, readers?.inUse ?? 0) - busyCount)
    }
}
