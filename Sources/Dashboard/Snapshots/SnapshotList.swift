import Telemetry
import TerminalUI
import Text

/// An open snapshot and its connection.
struct LiveSnapshot: Sendable {
    var status: SnapshotStatus
    /// The status of the snapshot's connection, or `nil` if unknown.
    var connection: ConnectionStatus?
    /// The size of a log frame, in bytes, or `nil` if unknown.
    var frameBytes: UInt64?

    /// The size of the pinned frames, in bytes.
    var pinnedBytes: UInt64? {
        guard let frames = status.pinnedFrames, let frameBytes else { return nil }
        return frames.multipliedReportingOverflow(by: frameBytes).partialValue
    }

    /// Returns the snapshots of a database, oldest first.
    static func all(in database: DatabaseStatus) -> [LiveSnapshot] {
        let frame = database.wal?.pageSize.map { UInt64(max($0, 0)) + 24 }
        return database.snapshots.map { status in
            LiveSnapshot(
                status: status,
                connection: database.connections.first { $0.label == status.label },
                frameBytes: frame
            )
        }
    }
}

enum SnapshotList {
    static let listing = Listing<LiveSnapshot>(
        columns: [
            Listing.Column(
                "snapshot",
                Track(minimum: 12, ideal: 18, maximum: 26, priority: 20, flex: 0),
                rank: { .text($0.status.label) }
            ) {
                Span($0.status.label, $1.style(.snapshot))
            },
            Listing.Column(
                "created by",
                Track(minimum: 8, ideal: 14, maximum: 30, priority: 18, flex: 1),
                rank: { .text($0.status.origin?.name ?? "") }
            ) {
                Span($0.status.origin?.name ?? "–", $1.bold(.text))
            },
            .number(
                "age",
                HumanUnits.durationWidth,
                priority: 19,
                { Double($0.status.ageNanoseconds) }
            ) {
                Span(HumanUnits.duration(nanoseconds: $0.status.ageNanoseconds), $1.bold(.snapshot))
            },
            .number("at frame", 9, priority: 9, { Double($0.status.frame ?? 0) }) {
                Span($0.status.frame.map(HumanUnits.count) ?? "–", $1.style(.text))
            },
            .number("pins frames", 11, priority: 16, { Double($0.status.pinnedFrames ?? 0) }) {
                snapshot,
                theme in
                let frames = snapshot.status.pinnedFrames
                let style = theme.style((frames ?? 0) > 0 ? .warning : .dim)
                return Span(frames.map(HumanUnits.count) ?? "–", style)
            },
            .number("bytes", HumanUnits.bytesWidth, priority: 15, { Double($0.pinnedBytes ?? 0) }) {
                snapshot,
                theme in
                let bytes = snapshot.pinnedBytes
                let style = theme.style((bytes ?? 0) > 0 ? .warning : .dim)
                return Span(bytes.map(HumanUnits.bytes) ?? "–", style)
            },
            .number("reads", 9, priority: 8, { Double($0.connection?.accessCount ?? 0) }) {
                Span(
                    $0.connection.map { HumanUnits.count($0.accessCount) } ?? "–",
                    $1.style(.text)
                )
            },
            Listing.Column(
                "now",
                Track(minimum: 10, ideal: 20, maximum: .max, priority: 12, flex: 4)
            ) { snapshot, theme in
                guard let connection = snapshot.connection else {
                    return Span("–", theme.style(.dim))
                }
                let state = LaneState(connection)
                let isIdle = state == .kept
                return Span(
                    isIdle ? "idle" : connection.sql ?? state.label,
                    theme.style(isIdle ? .dim : .text)
                )
            },
        ],
        name: \.status.label
    )
}
