import Telemetry
import TerminalUI
import Text

/// An access that waits for a connection.
struct WaitingAccess: Sendable {
    enum Resource: String, Sendable {
        case reader = "a reader"
        case writer = "the writer"
        case connection = "the connection"
    }

    var status: WaiterStatus
    var resource: Resource
    var writes: Bool
    /// The position in the queue, starting at 1.
    var position: Int

    /// The start of the wait on the monotonic clock, in nanoseconds, or `nil` if unknown.
    var startNanoseconds: UInt64?
    /// The start of the wait, in seconds since the start of the run, or `nil` if unknown.
    var start: Double?

    /// A stable name: the start time or, if it is unknown, the position in the queue.
    var name: String {
        "\(writes ? "w" : "r")\(startNanoseconds.map { "@\($0)" } ?? "\(position)")"
    }

    /// Returns the waiters in the displayed sample, longest wait first.
    static func all(in history: History) -> [WaitingAccess] {
        guard let database = history.displayedSample?.database else { return [] }
        return all(in: database).map {
            var waiting = $0
            waiting.start = history.start(of: $0.status)
            return waiting
        }
    }

    /// Returns the waiters in a database, longest wait first.
    static func all(in database: DatabaseStatus) -> [WaitingAccess] {
        let isQueue = database.readers == nil
        let now = database.takenAtNanoseconds
        func queue(_ waiters: [WaiterStatus], writes: Bool) -> [WaitingAccess] {
            waiters.enumerated().map { index, status in
                WaitingAccess(
                    status: status,
                    resource: isQueue ? .connection : writes ? .writer : .reader,
                    writes: writes,
                    position: index + 1,
                    startNanoseconds: now > status.waitedNanoseconds
                        ? now - status.waitedNanoseconds : nil
                )
            }
        }
        return
            (queue(database.waitingReaders, writes: false)
            + queue(database.waitingWriters, writes: true))
            .sorted { $0.status.waitedNanoseconds > $1.status.waitedNanoseconds }
    }
}

enum WaiterList {
    static let listing = Listing<WaitingAccess>(
        columns: [
            Listing.Column(
                "waiter",
                Track(minimum: 8, ideal: 14, maximum: 30, priority: 20, flex: 1),
                rank: { .text($0.status.origin.name) }
            ) {
                Span($0.status.origin.name, $1.bold(.text))
            },
            .number(
                "waited",
                width: HumanUnits.durationWidth,
                priority: 19,
                { Double($0.status.waitedNanoseconds) }
            ) {
                Span(
                    HumanUnits.duration(nanoseconds: $0.status.waitedNanoseconds),
                    $1.bold(.waiting)
                )
            },
            // The start time distinguishes waits of equal length.
            .number("started", width: HumanUnits.durationWidth, priority: 11, { -($0.start ?? 0) })
            {
                Span($0.start.map(HumanUnits.seconds) ?? "–", $1.style(.dim))
            },
            Listing.Column(
                "kind",
                .fixed(5, priority: 15),
                rank: { .text($0.writes ? "write" : "read") }
            ) {
                Span($0.writes ? "write" : "read", $1.style($0.writes ? .writer : .reader))
            },
            Listing.Column(
                "waits for",
                .fixed(14, priority: 10),
                rank: { .text($0.resource.rawValue) }
            ) {
                Span($0.resource.rawValue, $1.style(.text))
            },
            .number("position", width: 8, priority: 12, { -Double($0.position) }) {
                Span("\($0.position).", $1.style($0.position == 1 ? .text : .dim))
            },
            Listing.Column("caller", .fixed(6, priority: 5)) {
                Span($0.status.isAsync ? "task" : "thread", $1.style(.dim))
            },
        ],
        name: \.name
    )
}
