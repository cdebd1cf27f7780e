/// The screens, in the order of their keys.
package enum DashboardScreen: Int, Sendable, CaseIterable {
    /// Everything that matters about a run, at a glance.
    case overview = 1
    /// Each connection: who holds it, its SQL, its counts.
    case connections
    /// Who waits, and who holds what they wait for.
    case waiters
    /// The snapshots that live, and what each keeps.
    case snapshots
    /// How long accesses take: distributions, and over time.
    case latency
    /// The arms of this session side by side.
    case compare
    /// The load's knobs.
    case workload

    /// The parts that Tab goes through, in the order in which they are read: what each shows.
    var parts: [String] {
        switch self {
        case .overview:
            ["connections", "pool", "waiting", "clients", "log", "snapshots", "events"]
        case .connections: ["table", "time", "details", "pool"]
        case .waiters: ["time", "queue", "blockers"]
        case .snapshots: ["log", "snapshots", "meaning"]
        // Its parts are those of an access: Tab goes from the response to the wait.
        case .latency: []
        case .compare: ["table", "time"]
        case .workload: ["knobs", "clients", "pool"]
        }
    }

    /// Its name.
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
