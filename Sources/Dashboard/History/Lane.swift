import Telemetry

/// One connection over time.
struct Lane: Sendable {
    /// The connection's label.
    let label: String
    /// What the connection is for.
    let role: ConnectionRole
    /// Its status now; nil once it is closed.
    var status: ConnectionStatus?
    /// Its states, the newest last: as many as there were samples since it was first seen.
    var states: RingBuffer<LaneState>
    /// For how many samples it has been gone.
    var missed = 0
    /// Its status when it was last seen at work.
    var lastWork: ConnectionStatus?
    /// Whether the run has ended: what it does now says nothing any more.
    var isOver = false

    /// What screens tell of who holds it: now, or, after the run, who was last seen to.
    var told: ConnectionStatus? { isOver ? lastWork : status }

    /// The lane's state now.
    var state: LaneState { status.map { LaneState($0) } ?? .absent }

    /// The label without the database's: `reader.2` becomes `reader 2`.
    var shortLabel: String { Self.shortLabel(label, role) }

    /// A connection's label without the database's.
    static func shortLabel(_ label: String, _ role: ConnectionRole) -> String {
        let parts = label.split(separator: ".")
        if role == .queue || role == .writer { return role.rawValue }
        if parts.count >= 2, parts[parts.count - 2] == role.rawValue {
            return "\(role.rawValue) \(parts[parts.count - 1])"
        }
        return label
    }
}
