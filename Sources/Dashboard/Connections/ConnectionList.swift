import Telemetry
import TerminalUI
import Text

enum ConnectionList {
    static let listing = Listing<Lane>(
        columns: [
            Listing.Column(
                "connection",
                Track(minimum: 10, ideal: 12, maximum: 16, priority: 20, flex: 0)
            ) { lane, theme in
                Span(lane.shortLabel, theme.style(lane.role.colorRole))
            },
            Listing.Column("role", .fixed(8, priority: 3), rank: { .text($0.role.rawValue) }) {
                Span($0.role.rawValue, $1.style(.dim))
            },
            Listing.Column("state", .fixed(13, priority: 18), rank: { .text($0.state.label) }) {
                Span($0.state.label, $1.style($0.state == .idle ? .dim : $0.state.mark.role))
            },
            Listing.Column(
                "holder",
                Track(minimum: 6, ideal: 10, maximum: 24, priority: 17, flex: 1),
                rank: { .text($0.displayedStatus?.holder?.name ?? "") }
            ) {
                Span(
                    $0.displayedStatus?.holder?.name ?? "",
                    $0.hasRunEnded ? $1.style(.dim) : $1.bold(.text)
                )
            },
            .number(
                "held",
                HumanUnits.durationWidth,
                priority: 16,
                { Double($0.status?.heldNanoseconds ?? 0) }
            ) { lane, theme in
                let held = lane.status?.heldNanoseconds
                return Span(
                    held.map(HumanUnits.duration) ?? "",
                    held ?? 0 >= 1_000_000_000 ? theme.bold(.warning) : theme.style(.text)
                )
            },
            count("accesses", 9, priority: 12) { $0.accessCount },
            count("busy", 6, priority: 10) { $0.busyCount },
            .number("busy for", 8, priority: 9, { Double($0.status?.busyWaitNanoseconds ?? 0) }) {
                lane,
                theme in
                let time = lane.status?.busyWaitNanoseconds ?? 0
                return Span(
                    time == 0 ? "–" : HumanUnits.duration(nanoseconds: time),
                    theme.style(time == 0 ? .dim : .warning)
                )
            },
            count("interrupted", 11, priority: 8) { $0.interruptCount },
            Listing.Column(
                "SQL",
                Track(minimum: 20, ideal: 30, maximum: .max, priority: 14, flex: 6),
                rank: { .text($0.displayedStatus?.sql ?? "") }
            ) {
                Span($0.displayedStatus?.sql ?? "", $1.style($0.hasRunEnded ? .dim : .text))
            },
        ],
        name: \.label
    )

    private static func count(
        _ title: String,
        _ width: Int,
        priority: Int,
        _ value: @escaping @Sendable (ConnectionStatus) -> UInt64?
    ) -> Listing<Lane>.Column {
        Listing.Column(
            title,
            .fixed(width, priority: priority),
            alignment: .trailing,
            rank: { .number(Double($0.status.flatMap(value) ?? 0)) },
            cell: { lane, theme in
                guard let number = lane.status.map(value) ?? 0 else {
                    return Span("–", theme.style(.dim))
                }
                return Span(HumanUnits.count(number), theme.style(number == 0 ? .dim : .text))
            }
        )
    }
}
