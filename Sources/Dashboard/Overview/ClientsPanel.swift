import Telemetry
import TerminalUI

/// The panel with the clients' throughputs, waits and service times.
struct ClientsPanel {
    let history: History
    let seconds: Double
    /// Whether to omit the border because there are few rows.
    let isCompact: Bool
    /// The key of the screen that breaks down slow accesses, if any.
    let details: String?

    /// The indices of the displayed clients in a sample.
    ///
    /// A compact panel omits clients that only take snapshots or interrupt, which other panels
    /// show.
    private var shown: [Int] {
        clients.indices.filter {
            !isCompact || !["snapshot", "interrupt"].contains(clients[$0].activity)
        }
    }

    private var clients: [ClientStatus] { history.latest?.clients ?? [] }

    /// The height, including the border.
    var track: Track {
        let frame = isCompact ? 1 : 3
        let rows = max(shown.count, 1)
        return Track(
            minimum: frame + min(rows, isCompact ? 2 : 6),
            ideal: frame + rows,
            maximum: frame + rows,
            priority: 70
        )
    }

    func draw(on canvas: inout Canvas, in rect: Rect) {
        let inner =
            isCompact
            ? rect.inset(horizontal: 2)
            : Panel(
                title: "Clients",
                subtitle: "throughput, wait for a connection, service time",
                remark: history.isOver
                    ? "the load's last second; –: too few samples"
                    : "last second; –: too few samples",
                legend: details.map {
                    [
                        [
                            Span("press ", canvas.theme.style(.dim)),
                            Span($0, canvas.theme.bold(.accent)),
                            Span(
                                " to see what slow accesses wait for",
                                canvas.theme.style(.dim)
                            ),
                        ]
                    ]
                } ?? []
            ).draw(on: &canvas, in: rect)
        let table = table(theme: canvas.theme)
        table.draw(on: &canvas, in: inner)
        let widths = table.widths(in: inner.width)
        guard let strip = widths.last, strip > 0 else { return }
        let count = Sparkline.points(in: strip, glyphs: canvas.glyphs)
        let bins = TimeBins(history, seconds: seconds, count: count)
        let indexes = shown
        let visible = indexes.count < inner.height ? indexes.count : max(0, inner.height - 2)
        for index in 0..<visible where indexes[index] < history.throughputs.count {
            let series = history.throughputs[indexes[index]]
            let values = bins.values(.mean) { $0 < series.count ? series[$0] : .nan }
            let cell = Rect(
                x: inner.maxX - strip,
                y: inner.minY + 1 + index,
                width: strip,
                height: 1
            )
            Sparkline(values: values, gradient: .throughput).draw(on: &canvas, in: cell)
        }
    }

    private func table(theme: Theme) -> Table {
        func number(_ title: String, _ width: Int, _ priority: Int) -> Table.Column {
            Table.Column(
                title: title,
                alignment: .trailing,
                track: Track.fixed(width, priority: priority)
            )
        }
        let duration = HumanUnits.durationWidth
        let title = isCompact ? "client" : "name"
        let columns = [
            Table.Column(
                title: title,
                track: Track(minimum: 6, ideal: 9, maximum: 16, priority: 20, flex: 1)
            ),
            Table.Column(title: "activity", track: Track.fixed(9, priority: 2)),
            number("done", HumanUnits.rateWidth, 19),
            number("target", HumanUnits.rateWidth, 12),
            number("wait p50", duration + 1, 13),
            number("p99", duration, 18),
            number("service p50", duration + 4, 11),
            number("p99", duration, 17),
            number("skipped", duration, 4),
            number("errors", 6, 5),
            Table.Column(
                title: "over time",
                track: Track(minimum: 9, ideal: 14, maximum: .max, priority: 3, flex: 4)
            ),
        ]
        return Table(columns: columns, rows: shown.map { row(clients[$0], theme: theme) })
    }

    private func row(_ client: ClientStatus, theme: Theme) -> [Span] {
        let text = theme.style(.text)
        let dim = theme.style(.dim)
        func latency(_ value: UInt64?) -> Span {
            value.map { Span(HumanUnits.duration(nanoseconds: $0), text) } ?? Span("–", dim)
        }
        func count(_ value: UInt64, _ role: Role) -> Span {
            value == 0 ? Span("0", dim) : Span(HumanUnits.count(value), theme.style(role))
        }
        let isBehind = client.targetRate.map { client.throughput < 0.9 * $0 } ?? false
        let done = HumanUnits.rate(client.throughput)
        let doneStyle =
            isBehind ? theme.style(.warning) : client.throughput > 0 ? theme.style(.ok) : dim
        let errors = client.counts.errors.values.reduce(UInt64(0)) { sum, value in
            sum.addingReportingOverflow(value).partialValue
        }
        return [
            Span(client.name, theme.bold(.text)),
            Span(client.activity, dim),
            // Mark a client that is behind its target with a different color and a symbol.
            Span(isBehind ? "▲\(done)" : done, doneStyle),
            client.targetRate.map { Span(HumanUnits.rate($0), dim) } ?? Span("–", dim),
            latency(client.wait?.p50),
            latency(client.wait?.p99),
            latency(client.service?.p50),
            latency(client.service?.p99),
            count(client.counts.skipped, .warning),
            count(errors, .error),
            Span("", dim),
        ]
    }
}
