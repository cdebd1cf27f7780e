import SQLiteWatch
import TerminalUI

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
            Listing.Column(
                "age",
                .fixed(9, priority: 19),
                alignment: .trailing,
                rank: { .number($0.seconds) }
            ) { Span(WatchWords.duration($0.seconds), $1.bold(.text)) },
            Listing.Column(
                "statements",
                .fixed(10, priority: 12),
                alignment: .trailing,
                rank: { .number(Double($0.statements)) }
            ) { Span(HumanUnits.count($0.statements), $1.style(.text)) },
            Listing.Column(
                "idle now",
                .fixed(9, priority: 17),
                alignment: .trailing,
                rank: { .number($0.secondsSinceStatement ?? 0) }
            ) {
                Span($0.secondsSinceStatement.map(WatchWords.duration) ?? "", $1.style(.warning))
            },
            Listing.Column(
                "longest gap",
                .fixed(11, priority: 14),
                alignment: .trailing,
                rank: { .number($0.longestGapSeconds) }
            ) { Span(WatchWords.duration($0.longestGapSeconds), $1.style(.text)) },
            Listing.Column(
                "last statement",
                Track(minimum: 16, ideal: 40, priority: 16),
                rank: { .text($0.sql ?? "") }
            ) { Span($0.sql ?? "?", $1.style(.text)) },
        ],
        name: \.label
    )

    private var transactions: [WatchedTransaction] {
        Self.listing.arranged(scene.report?.transactions ?? [], scene.view)
    }

    var rowNames: [String] { transactions.map(\.label) }

    func copyText(of row: String) -> String? { transactions.first { $0.label == row }?.sql }

    func opened(row: String) -> WatchOpening {
        guard let transaction = transactions.first(where: { $0.label == row }) else {
            return .details
        }
        return .process(label: transaction.processLabel)
    }

    func draw(on canvas: inout Canvas, in rect: Rect) {
        let all = scene.report?.transactions?.count ?? 0
        let transactions = transactions
        let inner = Panel(
            title: "Activity",
            subtitle: scene.separator(canvas) + "open transactions, then the longest completed",
            remark: scene.view.remark(shown: transactions.count, of: all),
            legend: [[Span(TracingLine.text(scene.report), canvas.theme.style(.dim))]]
        ).draw(on: &canvas, in: rect)
        guard !transactions.isEmpty else {
            let text =
                all > 0
                ? "no transaction matches the filter"
                : scene.report?.tracing == nil
                    ? TracingLine.empty(scene.report) : "no program has started a transaction"
            return TracingLine.draw(text, on: &canvas, in: inner)
        }
        Self.listing.table(transactions, scene.view, theme: canvas.theme, width: inner.width)
            .draw(on: &canvas, in: inner)
    }
}

extension WatchedTransaction {
    var processLabel: String { WatchWords.process(name ?? "?", pid) }

    var label: String { "\(pid) \(connection) \(open) \(seconds)" }
}
