import Findings
import SQLiteWatch
import TerminalUI
import Text

/// The screen with transactions of traced programs: open transactions, followed by the longest
/// completed transactions.
struct ActivityScreen: WatchScreen {
    static let title = "Activity"
    static let help = "activity: open transactions and their age"
    static let sortableTitles = listing.sortableTitles

    let scene: WatchScene

    private static let listing = Listing<WatchedTransaction>(
        columns: [
            Listing.Column(
                "process",
                Track(minimum: 10, ideal: 18, maximum: 26, priority: 20, flex: 0),
                rank: { .text($0.name ?? "") }
            ) { Span($0.processLabel, $1.bold(.text)) },
            Listing.Column(
                "transaction",
                .fixed(14, priority: 18),
                rank: { .text($0.open ? "0" : "1") }
            ) {
                Span(
                    ($0.open ? "open" : "ended") + ($0.writes ? ", writing" : ""),
                    $1.style($0.open ? ($0.writes ? .writer : .reader) : .dim)
                )
            },
            .number("age", width: 9, priority: 19, \.seconds) {
                Span(WatchLabels.duration($0.seconds), $1.bold(.text))
            },
            .number("statements", width: 10, priority: 12, { Double($0.statements) }) {
                Span(HumanUnits.count($0.statements), $1.style(.text))
            },
            .number("idle now", width: 9, priority: 17, { $0.secondsSinceStatement ?? 0 }) {
                Span($0.secondsSinceStatement.map(WatchLabels.duration) ?? "", $1.style(.warning))
            },
            .number("longest gap", width: 11, priority: 14, \.longestGapSeconds) {
                Span(WatchLabels.duration($0.longestGapSeconds), $1.style(.text))
            },
            Listing.Column(
                "last statement",
                Track(minimum: 16, ideal: 40, priority: 16),
                rank: { .text($0.sql ?? "") }
            ) { Span($0.sql ?? "?", $1.style(.text)) },
        ],
        name: \.label
    )

    private var transactions: [WatchedTransaction] {
        Self.listing.arranged(scene.report?.transactions ?? [], view: scene.view)
    }

    var rowNames: [String] { transactions.map(\.label) }

    func copyText(of row: String) -> String? { transactions.first { $0.label == row }?.sql }

    func destination(forRow row: String) -> WatchOpening {
        guard let transaction = transactions.first(where: { $0.label == row }) else {
            return .details
        }
        return .process(label: transaction.processLabel)
    }

    func draw(on canvas: inout Canvas, in rect: Rect) {
        Self.listing.draw(
            scene.report?.transactions ?? [],
            view: scene.view,
            in: scene.tracingPanel(
                "Activity",
                subtitle: "open transactions, then the longest completed",
                theme: canvas.theme
            ),
            item: "transaction",
            placeholder: scene.report?.tracing == nil
                ? TracingLine.reasonForEmptyScreen(scene.report)
                : "no program has started a transaction",
            wrapsPlaceholder: true,
            on: &canvas,
            in: rect
        )
    }
}

extension WatchedTransaction {
    var processLabel: String { WatchLabels.process(name ?? "?", pid: pid) }

    var label: String { "\(pid) \(connection) \(open) \(seconds)" }
}
