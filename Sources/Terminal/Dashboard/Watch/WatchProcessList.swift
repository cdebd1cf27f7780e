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
                .number(
                    "mark",
                    width: 4,
                    priority: 11,
                    { Double($0.displayedReadLock?.mark ?? -1) }
                ) {
                    row,
                    theme in
                    Span(row.displayedReadLock?.mark.map(String.init) ?? "", theme.style(.text))
                },
                .number(
                    "frame",
                    width: 7,
                    priority: 12,
                    { Double($0.displayedReadLock?.frame ?? 0) }
                ) {
                    row,
                    theme in
                    Span(
                        row.displayedReadLock?.frame.map(HumanUnits.count) ?? "",
                        theme.style(.text)
                    )
                },
                .number("held for", width: 9, priority: 18, { $0.mainLock?.seconds ?? 0 }) {
                    row,
                    theme in
                    guard let lock = row.mainLock else { return Span("", theme.style(.dim)) }
                    return Span(
                        WatchLabels.held(lock, isASCII: isASCII),
                        lock.seconds >= 1 ? theme.bold(.warning) : theme.style(.text)
                    )
                },
                share("writes %", width: 10, priority: 17, isASCII: isASCII, role: .writer) {
                    $0.writer
                },
                share("reads %", width: 10, priority: 16, isASCII: isASCII, role: .reader) {
                    $0.reader
                },
                share("checkpoints %", width: 13, priority: 10, isASCII: isASCII, role: .committing)
                { $0.checkpoint },
                .number("pins", width: 8, priority: 15, { Double($0.pin?.bytes ?? 0) }) {
                    row,
                    theme in
                    Span(row.pin.map { HumanUnits.bytes($0.bytes) } ?? "", theme.bold(.snapshot))
                },
                .number("CPU", width: 5, priority: 9, { $0.cpuShare ?? -1 }) { row, theme in
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
        width: Int,
        priority: Int,
        isASCII: Bool,
        role: Role,
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

    static func arranged(_ rows: [WatchRow], view: ListView) -> [WatchRow] {
        listing(isASCII: true).arranged(rows, view: view)
    }

    static func draw(
        _ scene: WatchScene,
        on canvas: inout Canvas,
        in rect: Rect
    ) {
        guard let history = scene.history else { return }
        listing(isASCII: canvas.glyphs == .ascii).draw(
            history.rows,
            view: scene.view,
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

/// The periods during which a process held a lock or pinned the log for a long time.
enum WatchEpisodeList {
    static let listing = Listing<WatchEpisode>(
        columns: [
            Listing.Column(
                "start (UTC)",
                .fixed(11, priority: 19),
                rank: { .number(Double($0.start.milliseconds)) }
            ) { Span(WatchLabels.clock($0.start), $1.style(.dim)) },
            Listing.Column(
                "process",
                Track(minimum: 10, ideal: 18, maximum: 26, priority: 20, flex: 0),
                rank: { .text($0.name) }
            ) { Span(WatchLabels.process($0.name, pid: $0.pid), $1.bold(.text)) },
            Listing.Column(
                "lock held",
                .fixed(14, priority: 18),
                rank: { .text(WatchLabels.name(of: $0.kind)) }
            ) { Span(WatchLabels.name(of: $0.kind), $1.style(WatchLabels.role($0.kind))) },
            .number("held for", width: 10, priority: 17, \.seconds) {
                Span(WatchLabels.duration($0.seconds), $1.bold(.text))
            },
            Listing.Column(
                "",
                .fixed(9, priority: 10)
            ) { Span($0.end == nil ? "ongoing" : "", $1.style(.warning)) },
            .number("frames", width: 9, priority: 8, { Double($0.frames ?? 0) }) {
                Span($0.frames.map(HumanUnits.count) ?? "", $1.style(.text))
            },
            Listing.Column(
                "probably waiting",
                Track(minimum: 16, ideal: 30, priority: 15),
                rank: { .number(Double($0.waiters.count)) }
            ) { Span($0.waiterNames, $1.style(.locked)) },
        ],
        name: \.label
    )

    static func drawPanel(_ history: WatchHistory, on canvas: inout Canvas, in rect: Rect) {
        let theme = canvas.theme
        let episodes = history.episodes
        let inner = Panel(
            title: "Episodes",
            remark: episodes.isEmpty
                ? "" : HumanUnits.counted(episodes.count, "episode", "episodes")
        ).draw(on: &canvas, in: rect)
        Ticker(
            lines: episodes.prefix(max(0, inner.height)).map { episode in
                Ticker.Line(
                    time: WatchLabels.clock(episode.start),
                    mark: Span(
                        episode.end == nil ? "▲" : "·",
                        theme.style(episode.end == nil ? .warning : .accent)
                    ),
                    message: episode.summary
                )
            },
            placeholder: "no process has held a lock for a long time"
        ).draw(on: &canvas, in: inner)
    }

    static func drawLine(_ history: WatchHistory, on canvas: inout Canvas, in row: Rect) {
        guard let episode = history.episodes.first else { return }
        canvas.write(
            [
                Span(WatchLabels.clock(episode.start) + " ", canvas.theme.style(.dim)),
                Span(episode.summary, canvas.theme.style(.text)),
            ],
            x: row.minX,
            y: row.minY,
            limit: row.width
        )
    }
}

extension WatchEpisode {
    var label: String { "\(kind.rawValue) \(pid) \(start.milliseconds)" }

    var waiterNames: String {
        let names = waiters.prefix(4).map { WatchLabels.process($0.name, pid: $0.pid) }.joined(
            separator: ", "
        )
        return waiters.count > 4 ? names + " and \(waiters.count - 4) more" : names
    }

    /// A summary, such as `write lock 3.2 s: 4711 python3; waited: 4712 ruby`.
    var summary: String {
        var text = "\(WatchLabels.name(of: kind)) \(WatchLabels.duration(seconds))"
        text += ": " + WatchLabels.process(name, pid: pid)
        if let frames, frames > 0 {
            text += ", \(HumanUnits.count(frames)) \(frames == 1 ? "frame" : "frames")"
        }
        if !waiters.isEmpty { text += "; waited: \(waiterNames)" }
        if end == nil { text += "; ongoing" }
        return text
    }
}
