import Telemetry
import TerminalUI

/// The log, the snapshots and the interrupts in one row, where there is no room for their panels.
struct SummaryLine {
    let history: History

    /// Draws the three in full, in short, or as many of them in short as fit.
    func draw(on canvas: inout Canvas, in row: Rect) {
        guard let database = history.latest?.database else { return }
        let theme = canvas.theme
        var pieces = pieces(database, theme: theme, isLong: true)
        let gap = 3
        let whole = pieces.reduce(0) { $0 + canvas.width(of: $1) } + gap * (pieces.count - 1)
        if whole > row.width { pieces = self.pieces(database, theme: theme, isLong: false) }
        let tracks = pieces.enumerated().map { index, piece in
            Track.fixed(canvas.width(of: piece), priority: 9 - index)
        }
        let widths = Track.lengths(of: tracks, available: row.width, spacing: gap)
        for (piece, cell) in zip(pieces, row.columns(widths, spacing: gap)) where cell.width > 0 {
            canvas.write(piece, x: cell.minX, y: cell.minY, limit: cell.width)
        }
    }

    private func pieces(_ database: DatabaseStatus, theme: Theme, isLong: Bool) -> [[Span]] {
        let dim = theme.style(.dim)
        let text = theme.style(.text)
        var log = [Span("log ", dim)]
        if let wal = database.wal {
            log.append(Span(HumanUnits.bytes(wal.bytes), theme.bold(.text)))
            if let pin = wal.pin {
                let words = isLong ? WALWords.short(pin) : "pinned"
                log.append(Span(" ▲ " + words, theme.style(.warning)))
            }
        } else {
            log.append(Span("none", text))
        }
        let count = HumanUnits.counted(database.snapshots.count, "snapshot", "snapshots")
        var snapshots = [Span(count, dim)]
        if let oldest = database.snapshots.max(by: { $0.ageNanoseconds < $1.ageNanoseconds }) {
            snapshots[0].style = theme.bold(.snapshot)
            let age = HumanUnits.duration(nanoseconds: oldest.ageNanoseconds)
            if isLong { snapshots.append(Span(", \(age)", theme.style(.snapshot))) }
        }
        let counts = database.interrupts
        var interrupts = [
            Span("interrupts ", dim),
            Span(HumanUnits.count(counts.requested), text),
        ]
        if isLong, counts.requested > 0 {
            interrupts.append(Span(", \(HumanUnits.count(counts.delivered)) hit", dim))
        }
        return [log, snapshots, interrupts]
    }
}
