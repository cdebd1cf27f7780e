import Findings
import SQLiteWatch
import TerminalUI
import Text

enum WatchProcessList {
    static func listing(isASCII: Bool) -> Listing<WatchRow> {
        Listing(
            columns: [
                Listing.Column(
                    "process",
                    Track(minimum: 10, ideal: 18, maximum: 22, priority: 20, flex: 1),
                    rank: { .text($0.name) }
                ) { row, theme in Span(row.label, theme.bold(.text)) },
                Listing.Column(
                    "locks",
                    Track(minimum: 8, ideal: 14, maximum: 34, priority: 19),
                    rank: { .text($0.lockKinds) }
                ) { row, theme in
                    let isWaiting = row.process?.waiting?.isWaiting == true
                    if isWaiting {
                        let kinds = row.lockKinds.isEmpty ? "" : row.lockKinds + ", "
                        return Span(kinds + "waiting", theme.style(.locked))
                    }
                    return row.lockKinds.isEmpty
                        ? Span("none", theme.style(.dim))
                        : Span(row.lockKinds, theme.style(row.state.mark.role))
                },
                .number("mark", 4, priority: 11, { Double($0.displayedReadLock?.mark ?? -1) }) {
                    row,
                    theme in
                    Span(row.displayedReadLock?.mark.map(String.init) ?? "", theme.style(.text))
                },
                .number("frame", 7, priority: 12, { Double($0.displayedReadLock?.frame ?? 0) }) {
                    row,
                    theme in
                    Span(
                        row.displayedReadLock?.frame.map(HumanUnits.count) ?? "",
                        theme.style(.text)
                    )
                },
                .number("held for", 9, priority: 18, { $0.mainLock?.seconds ?? 0 }) { row, theme in
                    guard let lock = row.mainLock else { return Span("", theme.style(.dim)) }
                    return Span(
                        WatchLabels.held(lock, isASCII: isASCII),
                        lock.seconds >= 1 ? theme.bold(.warning) : theme.style(.text)
                    )
                },
                share("writes %", 10, priority: 17, isASCII, .writer) { $0.writer },
                share("reads %", 10, priority: 16, isASCII, .reader) { $0.reader },
                share("checkpoints %", 13, priority: 10, isASCII, .committing) { $0.checkpoint },
                .number("pins", 8, priority: 15, { Double($0.pin?.bytes ?? 0) }) { row, theme in
                    Span(row.pin.map { HumanUnits.bytes($0.bytes) } ?? "", theme.bold(.snapshot))
                },
                .number("CPU", 5, priority: 9, { $0.cpuShare ?? -1 }) { row, theme in
                    Span(row.cpuShare.map(HumanUnits.percent) ?? "", theme.style(.text))
                },
            ],
            name: \.label,
            details: { $0.process?.commandLine ?? "" }
        )
    }

    static let sortableTitles = listing(isASCII: true).sortableTitles

    private static func share(
        _ title: String,
        _ width: Int,
        priority: Int,
        _ isASCII: Bool,
        _ role: Role,
        _ estimate: @escaping @Sendable (WatchedShare) -> WatchedEstimate
    ) -> Listing<WatchRow>.Column {
        Listing.Column(
            title,
            .fixed(width, priority: priority),
            alignment: .trailing,
            rank: { .number(estimate($0.share).value) },
            cell: { row, theme in
                let share = estimate(row.share)
                return Span(
                    WatchLabels.share(share, isASCII: isASCII),
                    theme.style(share.value > 0 ? role : .dim)
                )
            }
        )
    }

    static func arranged(_ rows: [WatchRow], _ view: ListView) -> [WatchRow] {
        listing(isASCII: true).arranged(rows, view)
    }

    static func draw(
        _ scene: WatchScene,
        on canvas: inout Canvas,
        in rect: Rect
    ) {
        guard let history = scene.history else { return }
        listing(isASCII: canvas.glyphs == .ascii).draw(
            history.rows,
            scene.view,
            in: Panel(
                title: "Locks",
                subtitle: "one line per process, with all its connections",
                remark: "shares of the last \(HumanUnits.secondsLabel(history.coveredSeconds))"
            ),
            item: "process",
            placeholder: "no visible process uses the database",
            on: &canvas,
            in: rect
        )
    }
}

extension WatchRow {
    /// The read lock to show: the lock that pins the log or, without a pin, the lock with the
    /// lowest frame.
    fileprivate var displayedReadLock: WatchedLock? {
        if let pin { return locks.first { $0.kind == .reader && $0.mark == pin.mark } }
        return locks.filter { $0.kind == .reader }.min { ($0.frame ?? 0) < ($1.frame ?? 0) }
    }
}
