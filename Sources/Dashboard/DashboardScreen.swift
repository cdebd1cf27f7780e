/// The screens, in the order of their default keys.
package enum DashboardScreen: Int, Sendable, CaseIterable {
    case overview = 1
    case connections
    case waiters
    case snapshots
    case latency
    case compare
    case workload

    /// The names of the parts, in the order in which the Tab key selects them.
    var parts: [String] {
        switch self {
        case .overview:
            ["connections", "pool", "waiting", "clients", "log", "snapshots", "events"]
        case .connections: ["table", "time", "details", "pool"]
        case .waiters: ["time", "queue", "blockers"]
        case .snapshots: ["log", "snapshots", "meaning"]
        // On this screen, the Tab key selects a part of an access: response, wait, or service.
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
