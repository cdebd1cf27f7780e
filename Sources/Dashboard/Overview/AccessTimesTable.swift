import Telemetry
import TerminalUI
import Text

/// A small table with percentiles of wait and hold times.
struct AccessTimesTable {
    let database: DatabaseStatus

    /// The rows, with separate rows for reads and writes in a pool.
    var summaries: [(name: String, summary: LatencySummary)] {
        let isPool = database.readers != nil
        let all: [(String, LatencySummary?)] = [
            (isPool ? "reads wait" : "wait", database.acquire),
            (isPool ? "reads hold" : "hold", database.hold),
            ("writes wait", database.writerAcquire),
            ("writes hold", database.writerHold),
        ]
        return all.compactMap { name, summary in summary.map { (name, $0) } }
    }

    func draw(on canvas: inout Canvas, rows: [Rect]) {
        guard let header = rows.first, !header.isEmpty, !summaries.isEmpty else { return }
        let dim = canvas.theme.style(.dim)
        // If only the rows for reads fit, omit the word "reads" from their names.
        let isShort = rows.count <= 3
        let nameWidth = isShort ? 6 : 12
        let isNarrow = (header.width - nameWidth) / 4 <= HumanUnits.durationWidth
        let names = isNarrow ? ["p50", "p99", "max"] : ["p50", "p95", "p99", "max"]
        let cellWidth = min((header.width - nameWidth) / names.count, 12)
        guard cellWidth > HumanUnits.durationWidth else { return }
        func area(_ index: Int, _ row: Rect) -> Rect {
            Rect(
                x: row.minX + nameWidth + index * cellWidth,
                y: row.minY,
                width: cellWidth,
                height: 1
            )
        }
        guard rows.count > 1, !rows[1].isEmpty else { return }
        for (index, name) in names.enumerated() {
            canvas.write(name, in: area(index, header), style: dim, alignment: .trailing)
        }
        for (row, entry) in zip(rows.dropFirst(), summaries) where !row.isEmpty {
            let short = entry.name.split(separator: " ").last.map(String.init) ?? entry.name
            let name = isShort ? short : entry.name
            canvas.write(name, x: row.minX, y: row.minY, style: canvas.theme.style(.text))
            let summary = entry.summary
            let values =
                isNarrow
                ? [summary.p50, summary.p99, summary.max]
                : [summary.p50, summary.p95, summary.p99, summary.max]
            for (index, value) in values.enumerated() {
                let text = value.map(HumanUnits.duration) ?? "–"
                let style = value == nil ? dim : canvas.theme.style(.text)
                canvas.write(text, in: area(index, row), style: style, alignment: .trailing)
            }
        }
    }
}
