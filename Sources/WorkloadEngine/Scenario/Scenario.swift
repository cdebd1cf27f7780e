/// A workload as described in its YAML file: data, arms, phases, clients and thresholds.
public struct Scenario: Sendable, Equatable {
    /// The version of the scenario language, which is 1.
    public var version: Int = 1
    /// The scenario's name.
    public var name: String
    /// The description that is shown in lists.
    public var description: String = ""
    /// The seed for all random choices.
    public var seed: UInt64 = 42
    /// The initial data of each arm.
    public var dataset: Dataset
    /// The arms, in the file's order.
    public var arms: [Arm]
    /// The phases, in order.
    public var phases: [Phase]
    /// The maximum time to wait for running accesses at the end of a run.
    public var drain: Duration = .seconds(2)
    /// The variables that statements use, keyed by name.
    public var variables: [String: Variable] = [:]
    /// The statements of each named transaction, in order.
    public var transactions: [String: [String]] = [:]
    /// The clients, in the file's order.
    public var clients: [Client]
    /// The primary metrics of a comparison, such as `ui.response.p99`.
    public var primary: [String] = []
    /// The conditions that a run must meet to pass.
    public var thresholds: [Threshold] = []
    /// The names of the predefined invariants.
    public var invariants: [String] = []
    /// The custom invariants.
    public var dataInvariants: [DataInvariant] = []
    /// The file's text.
    public var source: String = ""
    /// The settings that changed the scenario after it was read from the file, in order.
    package internal(set) var settings: [Setting] = []
    /// The file's name as given, for messages.
    public var file: String = ""
    /// The variables whose ranges come from the dataset's variables.
    var inheritedRanges: [String: RangeSource] = [:]
    /// The positions of the statements in the file.
    var statementPlaces = StatementPlaces()

    /// Creates a scenario.
    public init(
        name: String,
        dataset: Dataset,
        arms: [Arm],
        phases: [Phase],
        clients: [Client]
    ) {
        self.name = name
        self.dataset = dataset
        self.arms = arms
        self.phases = phases
        self.clients = clients
    }

    /// The scenario's variables and the dataset's variables, which the scenario's variables
    /// override.
    public var allVariables: [String: Variable] {
        dataset.variables.merging(variables) { _, declared in declared }
    }

    /// The arms that run by default.
    ///
    /// These are all arms except GRDB arms, because not every program includes GRDB. If
    /// all arms use GRDB, all of them run by default.
    public var defaultArms: [Arm] {
        let others = arms.filter { $0.library != .grdb }
        return others.isEmpty ? arms : others
    }

    /// The total length of the measured phases.
    public var measuredDuration: Duration {
        phases.filter(\.isMeasured).reduce(.zero) { $0 + $1.duration }
    }
}

/// A phase of a run.
public struct Phase: Sendable, Equatable {
    /// The phase's name.
    public var name: String
    /// The phase's length.
    public var duration: Duration
    /// Whether the results include the phase's accesses.
    public var isMeasured: Bool

    /// Creates a phase.
    public init(name: String, duration: Duration, isMeasured: Bool = true) {
        self.name = name
        self.duration = duration
        self.isMeasured = isMeasured
    }
}

/// A duration or a point in time, either absolute or as a share of the run's measured part.
public enum TimeSpan: Sendable, Equatable {
    /// A duration.
    case absolute(Duration)
    /// A share of the measured part, 0…1.
    case share(Double)

    /// Returns the duration in a run whose measured part lasts `measured`.
    public func resolved(in measured: Duration) -> Duration {
        switch self {
        case .absolute(let duration): duration
        case .share(let share): measured * share
        }
    }
}
