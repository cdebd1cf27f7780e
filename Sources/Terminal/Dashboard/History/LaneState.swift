import Telemetry
import TerminalUI

/// The state of a connection in a lane, stored in one byte.
enum LaneState: UInt8, Sendable, CaseIterable {
    /// No access holds the connection.
    case idle
    case running
    /// The holder runs code between statements.
    case held
    /// The connection is ending its transaction.
    case committing
    /// The connection is waiting for a file lock.
    case locked
    case opening
    /// The snapshot is idle but still pins its state of the database.
    case kept
    case absent

    init(_ connection: ConnectionStatus) {
        switch connection.state {
        case .idle: self = connection.role == .snapshot ? .kept : .idle
        case .statement: self = .running
        case .closure: self = .held
        case .committing: self = .committing
        case .waitingForLock: self = .locked
        case .opening: self = .opening
        }
    }

    /// The appearance, with a distinct glyph for each state, so that states can be distinguished
    /// without colors.
    var mark: LaneStrip.Mark {
        switch self {
        case .idle: LaneStrip.Mark(glyph: "·", ascii: ".", role: .idle)
        case .running: LaneStrip.Mark(glyph: "▇", ascii: "#", role: .running)
        case .held: LaneStrip.Mark(glyph: "▒", ascii: "=", role: .held)
        case .committing: LaneStrip.Mark(glyph: "▄", ascii: "c", role: .committing)
        case .locked: LaneStrip.Mark(glyph: "×", ascii: "x", role: .locked)
        case .opening: LaneStrip.Mark(glyph: "○", ascii: "o", role: .opening)
        case .kept: LaneStrip.Mark(glyph: "━", ascii: "k", role: .snapshot)
        case .absent: LaneStrip.Mark(glyph: " ", ascii: " ", role: .idle)
        }
    }

    static let marks = allCases.map(\.mark)

    static func legend(theme: Theme, glyphs: GlyphSet) -> [[Span]] {
        allCases.filter { $0 != .absent }.map { state in
            let mark = state.mark
            return [
                Span(mark.text(in: glyphs), theme.style(mark.role)),
                Span(" \(state.label)", theme.style(.dim)),
            ]
        }
    }

    var label: String {
        switch self {
        case .idle: "idle"
        case .running: "running SQL"
        case .held: "held, no SQL"
        case .committing: "committing"
        case .locked: "file locked"
        case .opening: "opening"
        case .kept: "kept open"
        case .absent: "closed"
        }
    }

    var meaning: String {
        switch self {
        case .idle: "idle: no access holds the connection"
        case .running: "running SQL: inside a statement"
        case .held: "held, no SQL: no statement is running"
        case .committing: "committing: ending its transaction"
        case .locked: "file locked: waiting for a file lock"
        case .opening: "opening: being opened for a waiter"
        case .kept: "kept open: a snapshot that pins the log"
        case .absent: "closed"
        }
    }
}

/// A connection's states over time.
struct Lane: Sendable {
    let label: String
    let role: ConnectionRole
    /// The current status, or `nil` if the connection is closed.
    var status: ConnectionStatus?
    /// The states in all samples since the connection first appeared, newest last.
    var states: RingBuffer<LaneState>
    /// The number of samples since the connection was closed.
    var samplesSinceClose = 0
    /// The status in the last sample in which the connection had a holder.
    var lastHeldStatus: ConnectionStatus?
    var hasRunEnded = false

    /// The status to display: the current status or, after the run, the last status with a holder.
    var displayedStatus: ConnectionStatus? { hasRunEnded ? lastHeldStatus : status }

    var state: LaneState { status.map { LaneState($0) } ?? .absent }

    /// The label without the database's label, such as `reader 2`.
    var shortLabel: String { Self.shortLabel(label, role: role) }

    static func shortLabel(_ label: String, role: ConnectionRole) -> String {
        let parts = label.split(separator: ".")
        if role == .queue || role == .writer { return role.rawValue }
        if parts.count >= 2, parts[parts.count - 2] == role.rawValue {
            return "\(role.rawValue) \(parts[parts.count - 1])"
        }
        return label
    }
}
