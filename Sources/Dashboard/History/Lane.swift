import Telemetry

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
    var shortLabel: String { Self.shortLabel(label, role) }

    static func shortLabel(_ label: String, _ role: ConnectionRole) -> String {
        let parts = label.split(separator: ".")
        if role == .queue || role == .writer { return role.rawValue }
        if parts.count >= 2, parts[parts.count - 2] == role.rawValue {
            return "\(role.rawValue) \(parts[parts.count - 1])"
        }
        return label
    }
}
