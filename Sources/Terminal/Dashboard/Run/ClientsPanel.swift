import Telemetry
import TerminalUI
import Text

/// The panel with the throughputs, waits, and service times of the clients or of an attached
/// program.
struct ClientsPanel {
    let history: History
    let seconds: Double
    /// Whether to omit the border because there are few rows.
    let isCompact: Bool
    /// The key of the screen that breaks down slow accesses, if any.
    let detailsKey: String?

    /// The indices, in a sample, of the clients to display.
    ///
    /// A compact panel omits clients that only take snapshots or interrupt statements. Other panels
    /// show these clients.
    private var displayedIndices: [Int] {
        clients.indices.filter {
            !isCompact || !["snapshot", "interrupt"].contains(clients[$0].activity)
        }
    }

    private var clients: [ClientStatus] { history.displayedSample?.clients ?? [] }

    private var isProgram: Bool { history.displayedSample?.program != nil }

    /// Whether the attached program does not report the durations of its accesses.
    private var hidesAccesses: Bool {
        guard let sample = history.displayedSample, sample.program?.isConnected == true else {
            return false
        }
        return sample.database.acquire == nil && sample.database.writerAcquire == nil
    }

    private var remark: String {
        if hidesAccesses { return "" }
        if isProgram { return "times since the database was opened; –: too few accesses" }
        return history.isOver
            ? "the load's last second; –: too few samples" : "last second; –: too few samples"
    }

    /// Returns a legend that names the key of the details screen.
    private func legend(theme: Theme) -> [[Span]] {
        // The details screen is available only for a run.
        guard let detailsKey, !isProgram else { return [] }
        let dim = theme.style(.dim)
        return [
            [
                Span("press ", dim), Span(detailsKey, theme.bold(.accent)),
                Span(" to see what slow accesses wait for", dim),
            ]
        ]
    }

    /// The height, including the border.
    var track: Track {
        let frame = isCompact ? 1 : 3
        let rows = max(displayedIndices.count, 1)
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
                title: isProgram ? "Accesses" : "Clients",
                subtitle: isProgram
                    ? "rate, wait for a connection, hold time"
                    : "throughput, wait for a connection, service time",
                remark: remark,
                legend: legend(theme: canvas.theme)
            ).draw(on: &canvas, in: rect)
        let table = table(theme: canvas.theme)
        table.draw(on: &canvas, in: inner)
        if hidesAccesses, inner.height > 1 {
            canvas.write(
                "unknown: the program does not report its accesses",
                in: inner.row(1),
                style: canvas.theme.style(.dim),
                alignment: .leading
            )
        }
        let widths = table.widths(in: inner.width)
        guard let strip = widths.last, strip > 0 else { return }
        let count = Sparkline.points(in: strip, glyphs: canvas.glyphs)
        let bins = TimeBins(history, seconds: seconds, count: count)
        let indices = displayedIndices
        let visible = indices.count < inner.height ? indices.count : max(0, inner.height - 2)
        for index in 0..<visible where indices[index] < history.throughputs.count {
            let series = history.throughputs[indices[index]]
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
        func number(_ title: String, width: Int, priority: Int) -> Table.Column {
            Table.Column(
                title: title,
                alignment: .trailing,
                track: Track.fixed(width, priority: priority)
            )
        }
        let duration = HumanUnits.durationWidth
        let last = Table.Column(
            title: "over time",
            track: Track(minimum: 9, ideal: 14, maximum: .max, priority: 3, flex: 4)
        )
        let first = Track(minimum: 6, ideal: 9, maximum: 16, priority: 20, flex: 1)
        if isProgram {
            let columns = [
                Table.Column(title: "", track: first),
                number("rate", width: HumanUnits.rateWidth, priority: 19),
                number("wait p50", width: duration + 1, priority: 13),
                number("p99", width: duration, priority: 18),
                number("max", width: duration, priority: 12),
                number("hold p50", width: duration + 1, priority: 11),
                number("p99", width: duration, priority: 17),
                number("max", width: duration, priority: 10),
                last,
            ]
            return Table(columns: columns, rows: clients.map { programRow($0, theme: theme) })
        }
        let title = isCompact ? "client" : "name"
        let columns = [
            Table.Column(title: title, track: first),
            Table.Column(title: "activity", track: Track.fixed(9, priority: 2)),
            number("done", width: HumanUnits.rateWidth, priority: 19),
            number("target", width: HumanUnits.rateWidth, priority: 12),
            number("wait p50", width: duration + 1, priority: 13),
            number("p99", width: duration, priority: 18),
            number("service p50", width: duration + 4, priority: 11),
            number("p99", width: duration, priority: 17),
            number("skipped", width: duration, priority: 4),
            number("errors", width: 6, priority: 5),
            last,
        ]
        return Table(
            columns: columns,
            rows: displayedIndices.map { row(clients[$0], theme: theme) }
        )
    }

    /// Returns the row for an attached program's reads, writes, or accesses.
    private func programRow(_ accesses: ClientStatus, theme: Theme) -> [Span] {
        let (wait, hold) = (accesses.wait, accesses.service)
        return [
            Span(accesses.name, theme.bold(.text)),
            Span(
                HumanUnits.rate(accesses.throughput),
                theme.style(accesses.throughput > 0 ? .ok : .dim)
            ),
        ]
            + [wait?.p50, wait?.p99, wait?.max, hold?.p50, hold?.p99, hold?.max].map {
                latency($0, theme: theme)
            } + [Span("", theme.style(.dim))]
    }

    private func latency(_ value: UInt64?, theme: Theme) -> Span {
        value.map { Span(HumanUnits.duration(nanoseconds: $0), theme.style(.text)) }
            ?? Span("–", theme.style(.dim))
    }

    private func row(_ client: ClientStatus, theme: Theme) -> [Span] {
        let dim = theme.style(.dim)
        func latency(_ value: UInt64?) -> Span { self.latency(value, theme: theme) }
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
