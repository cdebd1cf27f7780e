import Findings
import SQLiteWatch
import TerminalUI
import Text

/// The screen with statements that waited for other connections, and their blockers.
struct BlockedScreen: WatchScreen {
    static let title = "Blocked"
    static let help = "blocked: waiters and their blockers"
    static let sortableTitles = listing.sortableTitles

    let scene: WatchScene

    private static let listing = Listing<WatchedBlock>(
        columns: [
            Listing.Column(
                "ended (UTC)",
                .fixed(11, priority: 15),
                rank: { .number(Double($0.time.milliseconds)) }
            ) { Span(WatchLabels.clock($0.time), $1.style(.dim)) },
            Listing.Column(
                "waiter",
                Track(minimum: 10, ideal: 16, maximum: 24, priority: 20, flex: 0),
                rank: { .text($0.name ?? "") }
            ) { Span($0.processLabel, $1.bold(.text)) },
            .number("waited", width: 10, priority: 19, \.seconds) {
                Span(
                    ($0.isUpperBound ? "<" : "") + WatchLabels.duration($0.seconds),
                    $1.bold(.text)
                )
            },
            Listing.Column(
                "",
                .fixed(6, priority: 18)
            ) { Span($0.failed ? "BUSY" : "", $1.style(.warning)) },
            Listing.Column(
                "statement",
                Track(minimum: 14, ideal: 30, priority: 16),
                rank: { .text($0.sql ?? "") }
            ) { Span($0.sql ?? "?", $1.style(.locked)) },
            Listing.Column(
                "blocker",
                Track(minimum: 10, ideal: 16, maximum: 24, priority: 19, flex: 0),
                rank: { .text($0.by?.name ?? "") }
            ) {
                Span(
                    $0.by.map { WatchLabels.process($0.name ?? "?", pid: $0.pid) } ?? "not traced",
                    $1.bold(.writer)
                )
            },
            .number("open", width: 9, priority: 14, { $0.by?.transactionSeconds ?? 0 }) {
                Span($0.by?.transactionSeconds.map(WatchLabels.duration) ?? "", $1.style(.text))
            },
            .number("idle", width: 9, priority: 17, { $0.by?.idleSeconds ?? 0 }) {
                Span($0.by?.idleSeconds.map(WatchLabels.duration) ?? "", $1.style(.warning))
            },
            Listing.Column(
                "its last statement",
                Track(minimum: 14, ideal: 30, priority: 13),
                rank: { .text($0.by?.sql ?? "") }
            ) { Span($0.by?.sql ?? "", $1.style(.text)) },
        ],
        name: \.label
    )

    private var blocks: [WatchedBlock] {
        Self.listing.arranged(scene.report?.blocked ?? [], view: scene.view)
    }

    var rowNames: [String] { blocks.map(\.label) }

    func copyText(of row: String) -> String? { blocks.first { $0.label == row }?.sentence }

    func draw(on canvas: inout Canvas, in rect: Rect) {
        if scene.view.isExpanded, let selected = scene.view.selected,
            let block = blocks.first(where: { $0.label == selected })
        {
            let inner = Panel(title: "Wait").draw(on: &canvas, in: rect)
            let lines = TextWrapping.lines(of: block.sentence, width: inner.width)
            for (index, line) in lines.prefix(inner.height).enumerated() {
                let style = canvas.theme.style(.text)
                canvas.write(line, in: inner.row(index), style: style, alignment: .leading)
            }
            return
        }
        Self.listing.draw(
            scene.report?.blocked ?? [],
            view: scene.view,
            in: scene.tracingPanel(
                "Blocked",
                subtitle: "waits for other connections, latest first",
                theme: canvas.theme
            ),
            item: "wait",
            placeholder: scene.report?.tracing == nil
                ? TracingLine.reasonForEmptyScreen(scene.report)
                : "no statement has waited for a lock",
            wrapsPlaceholder: true,
            on: &canvas,
            in: rect
        )
    }
}

extension WatchedBlock {
    var processLabel: String { WatchLabels.process(name ?? "?", pid: pid) }

    var label: String { "\(pid) \(time.milliseconds) \(seconds)" }
}
