import SQLiteWatch
import TerminalUI

/// The screen with all written tables and indexes.
struct TablesScreen: WatchScreen {
    static let title = "Tables"
    static let help = "tables: written tables and indexes"
    static let sortableTitles = listing.sortableTitles

    let scene: WatchScene

    private static let listing = Listing<WrittenTable>(
        columns: [
            Listing.Column(
                "name",
                Track(minimum: 10, ideal: 30, maximum: 60, priority: 20),
                rank: { .text($0.name) }
            ) { Span($0.title, $1.bold(.text)) },
            Listing.Column(
                "kind",
                .fixed(10, priority: 10),
                rank: { .text($0.kind.rawValue) }
            ) { Span($0.kind.rawValue, $1.style(.dim)) },
            Listing.Column(
                "share",
                .fixed(8, priority: 19),
                alignment: .trailing,
                rank: { .number($0.share) }
            ) { Span(HumanUnits.percent($0.share), $1.bold(.text)) },
            Listing.Column(
                "frames",
                .fixed(10, priority: 18),
                alignment: .trailing,
                rank: { .number(Double($0.frames)) }
            ) { Span(HumanUnits.count($0.frames), $1.style(.text)) },
        ],
        name: { "\($0.kind.rawValue) \($0.name)" }
    )

    private var tables: [WrittenTable] {
        Self.listing.arranged(scene.history?.tables ?? [], scene.view)
    }

    var rowNames: [String] { tables.map(Self.listing.name) }

    func copyText(of row: String) -> String? {
        tables.first { Self.listing.name($0) == row }?.title
    }

    func draw(on canvas: inout Canvas, in rect: Rect) {
        guard let history = scene.history else { return }
        let all = history.tables.count
        let tables = tables
        let hidden = scene.view.remark(shown: tables.count, of: all)
        let seconds = HumanUnits.secondsLabel(WatchHistory.shareSeconds)
        let inner = Panel(
            title: "Tables written",
            subtitle: scene.separator(canvas) + "frames in the log by table and index",
            remark: hidden.isEmpty ? "last \(seconds)" : hidden,
            legend: [[Span(coverage, canvas.theme.style(.dim))]]
        ).draw(on: &canvas, in: rect)
        guard !tables.isEmpty else {
            let text =
                all > 0
                ? "no table matches the filter"
                : history.report?.wal == nil
                    ? "written tables are available only in WAL mode"
                    : "no frames were written in the last \(seconds)"
            let style = canvas.theme.style(.dim)
            canvas.write(text, in: inner.row(0), style: style, alignment: .leading)
            return
        }
        Self.listing.table(tables, scene.view, theme: canvas.theme, width: inner.width)
            .draw(on: &canvas, in: inner)
    }

    private var coverage: String {
        guard let coverage = scene.report?.tablesCoverage else { return "frames not examined" }
        return "\(HumanUnits.percent(coverage.readShare)) of the frames examined, "
            + "\(HumanUnits.percent(coverage.unknownShare)) in unknown tables"
    }
}
