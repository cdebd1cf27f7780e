import Telemetry
import TerminalUI
import Text

/// The panel with the open snapshots and the outcomes of interrupts.
struct SnapshotsPanel {
    let history: History

    func draw(on canvas: inout Canvas, in rect: Rect) {
        let theme = canvas.theme
        let inner = Panel(title: "Snapshots and interrupts").draw(on: &canvas, in: rect)
        guard let database = history.displayedSample?.database, !inner.isEmpty else { return }
        let dim = theme.style(.dim)
        guard !history.isUnknown else {
            canvas.write("unknown", in: inner.row(0), style: dim, alignment: .leading)
            return
        }
        let isOpen = !database.snapshots.isEmpty
        let openText = HumanUnits.counted(database.snapshots.count, "snapshot", "snapshots")
        let createdText =
            "\(HumanUnits.count(database.snapshotsMade)) created"
            + (history.isOver ? "" : " so far")
        canvas.write(
            [
                Span("\(openText) open", isOpen ? theme.bold(.snapshot) : theme.style(.text)),
                Span(", \(createdText)", dim),
            ],
            x: inner.minX,
            y: inner.minY,
            limit: inner.width
        )
        // Reserve the two bottom rows for interrupts.
        let room = max(0, inner.height - 3)
        let shown = database.snapshots.count <= room ? database.snapshots.count : max(0, room - 1)
        for (index, snapshot) in database.snapshots.prefix(shown).enumerated() {
            let row = inner.row(index + 1)
            let age = "\(HumanUnits.duration(nanoseconds: snapshot.ageNanoseconds)) old"
            canvas.write(age, in: row, style: theme.style(.snapshot), alignment: .trailing)
            canvas.write(
                "  \(snapshot.origin?.name ?? snapshot.label)",
                x: row.minX,
                y: row.minY,
                style: theme.style(.text),
                limit: row.width - canvas.width(of: age) - 1
            )
        }
        if shown < database.snapshots.count, room > 0 {
            let text = "  and \(database.snapshots.count - shown) more"
            canvas.write(text, in: inner.row(shown + 1), style: dim, alignment: .leading)
        }
        guard inner.height >= 3 else { return }
        drawInterrupts(database.interrupts, on: &canvas, in: inner)
    }

    private func drawInterrupts(
        _ interrupts: InterruptStatus?,
        on canvas: inout Canvas,
        in inner: Rect
    ) {
        let theme = canvas.theme
        let dim = theme.style(.dim)
        guard let interrupts, interrupts.requested > 0 else {
            let text = interrupts == nil ? "interrupts unknown" : "no interrupts"
            canvas.write(text, x: inner.minX, y: inner.maxY - 1, style: dim)
            return
        }
        // The numbers of calls and statements differ: a call may find no statement, end several
        // statements, or arrive just before a statement ends.
        let effectiveCount =
            interrupts.requested - min(interrupts.requested, interrupts.withoutEffect)
        let calls = [
            Span("interrupts: ", theme.style(.text)),
            Span(HumanUnits.count(interrupts.requested), theme.bold(.text)),
            Span(interrupts.requested == 1 ? " call, " : " calls, ", dim),
            Span(HumanUnits.count(effectiveCount), theme.style(.text)),
        ]
        let longText = calls + [Span(" interrupted a statement", dim)]
        canvas.write(
            canvas.width(of: longText) <= inner.width
                ? longText : calls + [Span(" during SQL", dim)],
            x: inner.minX,
            y: inner.maxY - 2,
            limit: inner.width
        )
        var ended = [
            Span("  \(HumanUnits.count(interrupts.delivered))", theme.style(.text)),
            Span(interrupts.delivered == 1 ? " statement ended" : " statements ended", dim),
        ]
        if let latency = interrupts.latency {
            let latencyText = [
                Span(" within ", dim),
                Span(HumanUnits.duration(nanoseconds: latency.max), theme.style(.text)),
            ]
            if canvas.width(of: ended + latencyText) <= inner.width { ended += latencyText }
        }
        canvas.write(ended, x: inner.minX, y: inner.maxY - 1, limit: inner.width)
    }
}
