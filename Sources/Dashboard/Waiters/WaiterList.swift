import Telemetry
import TerminalUI

/// One access that waits, with its place in its queue.
struct Waiting: Sendable {
    /// What it waits for.
    enum Wanted: String, Sendable {
        /// One of a pool's readers.
        case reader = "a reader"
        /// A pool's writer.
        case writer = "the writer"
        /// The one connection of a queue.
        case connection = "the connection"
    }

    /// Who waits, and for how long.
    var status: WaiterStatus
    /// What it waits for.
    var wanted: Wanted
    /// Whether it wants to write.
    var writes: Bool
    /// Its place in its queue, from 1.
    var place: Int

    /// The monotonic clock when it began to wait, in nanoseconds; nil when nobody knows.
    var since: UInt64?
    /// When it began to wait, in seconds since the run began; nil when nobody knows.
    var began: Double?

    /// What names it for as long as it waits: when it began to, or else its place in the queue.
    var name: String { "\(writes ? "w" : "r")\(since.map { "@\($0)" } ?? "\(place)")" }

    /// Everybody who waits in the sample that is looked at, whoever has waited longest first.
    static func all(in history: History) -> [Waiting] {
        guard let database = history.latest?.database else { return [] }
        return all(in: database).map {
            var waiting = $0
            waiting.began = history.began($0.status)
            return waiting
        }
    }

    /// Everybody who waits, whoever has waited longest first.
    static func all(in database: DatabaseStatus) -> [Waiting] {
        let isQueue = database.readers == nil
        let now = database.takenAtNanoseconds
        func queue(_ waiters: [WaiterStatus], writes: Bool) -> [Waiting] {
            waiters.enumerated().map { index, status in
                Waiting(
                    status: status,
                    wanted: isQueue ? .connection : writes ? .writer : .reader,
                    writes: writes,
                    place: index + 1,
                    since: now > status.waitedNanoseconds ? now - status.waitedNanoseconds : nil
                )
            }
        }
        return
            (queue(database.waitingReaders, writes: false)
            + queue(database.waitingWriters, writes: true))
            .sorted { $0.status.waitedNanoseconds > $1.status.waitedNanoseconds }
    }
}

/// The queue as a table.
enum WaiterList {
    /// The columns, and what they say of somebody who waits.
    static let listing = Listing<Waiting>(
        columns: [
            Listing.Column(
                "who waits",
                Track(minimum: 8, ideal: 14, maximum: 30, priority: 20, flex: 1),
                rank: { .text($0.status.origin.name) }
            ) {
                Span($0.status.origin.name, $1.bold(.text))
            },
            Listing.Column(
                "waited",
                .fixed(HumanUnits.durationWidth, priority: 19),
                alignment: .trailing,
                rank: { .number(Double($0.status.waitedNanoseconds)) }
            ) {
                Span(
                    HumanUnits.duration(nanoseconds: $0.status.waitedNanoseconds),
                    $1.bold(.waiting)
                )
            },
            // Of two that are equally old, it tells which one is shown.
            Listing.Column(
                "since",
                .fixed(HumanUnits.durationWidth, priority: 11),
                alignment: .trailing,
                rank: { .number(-($0.began ?? 0)) }
            ) {
                Span($0.began.map(HumanUnits.seconds) ?? "–", $1.style(.dim))
            },
            Listing.Column(
                "to",
                .fixed(5, priority: 15),
                rank: { .text($0.writes ? "write" : "read") }
            ) {
                Span($0.writes ? "write" : "read", $1.style($0.writes ? .writer : .reader))
            },
            Listing.Column(
                "for",
                .fixed(14, priority: 10),
                rank: { .text($0.wanted.rawValue) }
            ) {
                Span($0.wanted.rawValue, $1.style(.text))
            },
            Listing.Column(
                "turn",
                .fixed(4, priority: 12),
                alignment: .trailing,
                rank: { .number(-Double($0.place)) }
            ) {
                Span("\($0.place).", $1.style($0.place == 1 ? .text : .dim))
            },
            Listing.Column("as", .fixed(6, priority: 5)) {
                Span($0.status.isAsync ? "task" : "thread", $1.style(.dim))
            },
        ],
        name: \.name
    )
}
