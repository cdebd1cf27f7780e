import Telemetry
import TerminalUI
import Text

/// The parts of the time of slow accesses, as text and as a bar.
struct SlowParts {
    let slow: SlowSplit

    struct Part {
        var activity: String
        /// The mean time, in nanoseconds.
        var nanoseconds: UInt64
        var role: Role
        var glyph: String
        var ascii: String
    }

    /// The parts, in chronological order.
    var parts: [Part] {
        [
            Part(
                activity: "queued for a worker",
                nanoseconds: slow.queued,
                role: .warning,
                glyph: "░",
                ascii: "."
            ),
            Part(
                activity: waitingText,
                nanoseconds: slow.waited,
                role: .waiting,
                glyph: "▒",
                ascii: "="
            ),
            Part(
                activity: "being served",
                nanoseconds: slow.service,
                role: .running,
                glyph: "█",
                ascii: "#"
            ),
        ]
    }

    private var waitingText: String {
        switch slow.resource {
        case "reader": "waiting for a reader"
        case "writer": "waiting for the writer"
        case "connection": "waiting for the connection"
        default: "waiting"
        }
    }

    /// Whether the parts describe only the slowest access, because there are too few accesses for
    /// any percentile.
    private var isOnlySlowest: Bool { slow.beyond == "max" }

    /// The color of the percentile, as in the histogram.
    private var role: Role { slow.beyond == "p99" ? .error : .warning }

    /// A description of the accesses, such as `the 21 at or above p99`.
    ///
    /// For a lower percentile, the text is, for example, `the 12 at or above p95; too few
    /// accesses for p99`.
    var scope: String {
        if isOnlySlowest { return "the slowest access; too few accesses for a percentile" }
        let accesses =
            slow.accesses <= 1 ? "the only one" : "the \(HumanUnits.count(UInt64(slow.accesses)))"
        return "\(accesses) at or above \(slow.beyond)"
            + (slow.beyond == "p99" ? "" : "; too few accesses for p99")
    }

    private func share(_ part: Part) -> Double {
        slow.response > 0 ? Double(part.nanoseconds) / Double(slow.response) : 0
    }

    /// Returns a sentence such as `at or above p99, 87.6 ms: 45% waiting for a reader, 55% being
    /// served`.
    ///
    /// Parts of less than 1% are omitted.
    func sentence(theme: Theme, isShort: Bool) -> [Span] {
        let dim = theme.style(.dim)
        var spans = [
            Span(isOnlySlowest ? "the slowest, " : "at or above ", dim),
            Span(isOnlySlowest ? "" : slow.beyond, theme.bold(role)),
            Span(isOnlySlowest ? "" : ", ", dim),
            Span(HumanUnits.duration(nanoseconds: slow.response), theme.bold(.text)),
            Span(isShort || isOnlySlowest ? ": " : " on average: ", dim),
        ]
        let named = parts.filter { share($0) >= 0.01 }.sorted { $0.nanoseconds > $1.nanoseconds }
        for (index, part) in named.enumerated() {
            if index > 0 { spans.append(Span(", ", dim)) }
            spans.append(Span(HumanUnits.percent(share(part)), theme.bold(part.role)))
            spans.append(Span(" \(part.activity)", theme.style(.text)))
            if !isShort {
                let time = HumanUnits.duration(nanoseconds: part.nanoseconds)
                spans.append(Span(" (\(time))", dim))
            }
        }
        return spans
    }

    /// Returns a summary for narrow panels, such as `p99: 60% waiting, 40% served`.
    ///
    /// For a lower percentile, the summary states that p99 is unknown.
    func summary(theme: Theme) -> [Span] {
        let words = ["queued", "waiting", "served"]
        let named = zip(parts, words).filter { share($0.0) >= 0.01 }
            .sorted { $0.0.nanoseconds > $1.0.nanoseconds }
        var spans = [Span(isOnlySlowest ? "slowest" : slow.beyond, theme.bold(role))]
        if !isOnlySlowest, slow.beyond != "p99" {
            spans.append(Span(" (p99 unknown)", theme.style(.dim)))
        }
        spans.append(Span(":", theme.style(.dim)))
        for (index, (part, word)) in named.enumerated() {
            spans.append(Span(index > 0 ? ", " : " ", theme.style(.dim)))
            spans.append(Span(HumanUnits.percent(share(part)), theme.bold(part.role)))
            spans.append(Span(" \(word)", theme.style(.text)))
        }
        return spans
    }

    /// Describes the holders during the waits, such as `meanwhile, report held 2.0 of 3 readers, ui
    /// 0.9` or `meanwhile, report held the connection 97% of the time, search 2%`.
    ///
    /// Returns `nil` if the waits were short or had no holders.
    func holderText(theme: Theme) -> [Span]? {
        // A recorded sample can contain any numbers, so the sum is calculated as Double.
        let waited = Double(slow.queued) + Double(slow.waited)
        guard !slow.holders.isEmpty, waited > Double(slow.response) / 100 else { return nil }
        let dim = theme.style(.dim)
        var spans = [Span("meanwhile, ", dim)]
        let counts =
            slow.resource == "reader"
            ? HeldConnections.texts(slow.holders.map(\.held), of: slow.capacity)
            : slow.holders.map { HumanUnits.percent($0.held) }
        for (index, holder) in slow.holders.prefix(4).enumerated() {
            if index > 0 { spans.append(Span(", ", dim)) }
            spans.append(Span(holder.client, theme.bold(.text)))
            let held = counts[index]
            spans.append(Span(index == 0 ? " held \(resourceText(held))" : " \(held)", dim))
        }
        return spans
    }

    private func resourceText(_ held: String) -> String {
        switch (slow.resource, slow.capacity) {
        case ("reader", let count?):
            "\(held) of \(HumanUnits.counted(count, "reader", "readers"))"
        case ("reader", nil): "\(held) readers"
        case ("writer", _): "the writer \(held) of the time"
        default: "the connection \(held) of the time"
        }
    }

    func drawBar(on canvas: inout Canvas, in row: Rect) {
        guard row.width > 0, slow.response > 0 else { return }
        var end = 0
        var sum = 0.0
        for part in parts where part.nanoseconds > 0 {
            sum += share(part)
            let glyph = canvas.glyphs == .ascii ? part.ascii : part.glyph
            let style = canvas.theme.style(part.role)
            let filled = sum.isFinite ? min(max(sum, 0), 1) * Double(row.width) : 0
            let next = min(max(Int(filled.rounded()), end), row.width)
            for column in end..<next {
                canvas.put(glyph, x: row.minX + column, y: row.minY, style: style)
            }
            end = next
        }
    }
}
