/// The screens, ordered by key.
package enum DashboardScreen: Int, Sendable, CaseIterable {
    /// The most important facts about a run.
    case overview = 1
    /// The connections with their holders, SQL and counts.
    case connections
    /// The waiters and their blockers.
    case waiters
    /// The open snapshots and the frames that they pin.
    case snapshots
    /// The latencies of accesses, as distributions and over time.
    case latency
    /// The arms of this session side by side.
    case compare
    /// The load's settings.
    case workload

    /// The names of the parts, in the order in which Tab cycles through them.
    var parts: [String] {
        switch self {
        case .overview:
            ["connections", "pool", "waiting", "clients", "log", "snapshots", "events"]
        case .connections: ["table", "time", "details", "pool"]
        case .waiters: ["time", "queue", "blockers"]
        case .snapshots: ["log", "snapshots", "meaning"]
        // On this screen, Tab cycles through the parts of an access: response, wait and service.
        case .latency: []
        case .compare: ["table", "time"]
        case .workload: ["settings", "clients", "pool"]
        }
    }

    package var title: String {
        switch self {
        case .overview: "Overview"
        case .connections: "Connections"
        case .waiters: "Waiters"
        case .snapshots: "Snapshots"
        case .latency: "Latency"
        case .compare: "Compare"
        case .workload: "Workload"
        }
    }
}
