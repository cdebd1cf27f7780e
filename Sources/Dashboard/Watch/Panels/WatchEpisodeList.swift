import Findings
import SQLiteWatch
import TerminalUI
import Text

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
            ) { Span(WatchLabels.process($0.name, $0.pid), $1.bold(.text)) },
            Listing.Column(
                "lock held",
                .fixed(14, priority: 18),
                rank: { .text(WatchLabels.name(of: $0.kind)) }
            ) { Span(WatchLabels.name(of: $0.kind), $1.style(WatchLabels.role($0.kind))) },
            .number("held for", 10, priority: 17, \.seconds) {
                Span(WatchLabels.duration($0.seconds), $1.bold(.text))
            },
            Listing.Column(
                "",
                .fixed(9, priority: 10)
            ) { Span($0.end == nil ? "ongoing" : "", $1.style(.warning)) },
            .number("frames", 9, priority: 8, { Double($0.frames ?? 0) }) {
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
        let names = waiters.prefix(4).map { WatchLabels.process($0.name, $0.pid) }.joined(
            separator: ", "
        )
        return waiters.count > 4 ? names + " and \(waiters.count - 4) more" : names
    }

    /// A summary, such as `write lock 3.2 s: 4711 python3; waited: 4712 ruby`.
    var summary: String {
        var text = "\(WatchLabels.name(of: kind)) \(WatchLabels.duration(seconds))"
        text += ": " + WatchLabels.process(name, pid)
        if let frames, frames > 0 {
            text += ", \(HumanUnits.count(frames)) \(frames == 1 ? "frame" : "frames")"
        }
        if !waiters.isEmpty { text += "; waited: \(waiterNames)" }
        if end == nil { text += "; ongoing" }
        return text
    }
}
