import SQLiteWatch
import TerminalUI
import Text

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
            .number("share", width: 8, priority: 19, \.share) {
                Span(HumanUnits.percent($0.share), $1.bold(.text))
            },
            .number("frames", width: 10, priority: 18, { Double($0.frames) }) {
                Span(HumanUnits.count($0.frames), $1.style(.text))
            },
        ],
        name: { "\($0.kind.rawValue) \($0.name)" }
    )

    private var tables: [WrittenTable] {
        Self.listing.arranged(scene.history?.tables ?? [], view: scene.view)
    }

    var rowNames: [String] { tables.map(Self.listing.name) }

    func copyText(of row: String) -> String? {
        tables.first { Self.listing.name($0) == row }?.title
    }

    func draw(on canvas: inout Canvas, in rect: Rect) {
        guard let history = scene.history else { return }
        let seconds = HumanUnits.secondsLabel(WatchHistory.shareSeconds)
        Self.listing.draw(
            history.tables,
            view: scene.view,
            in: Panel(
                title: "Tables written",
                subtitle: "frames in the log by table and index",
                remark: "last \(seconds)",
                legend: [[Span(coverage, canvas.theme.style(.dim))]]
            ),
            item: "table",
            placeholder: history.report?.wal == nil
                ? "written tables are available only in WAL mode"
                : "no frames were written in the last \(seconds)",
            on: &canvas,
            in: rect
        )
    }

    private var coverage: String {
        guard let coverage = scene.report?.tablesCoverage else { return "frames not examined" }
        return "\(HumanUnits.percent(coverage.readShare)) of the frames examined, "
            + "\(HumanUnits.percent(coverage.unknownShare)) in unknown tables"
    }
}
