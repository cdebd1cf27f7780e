import YAML

/// A workload, as described in a YAML file.
public struct Scenario: Sendable, Equatable {
    /// The version of the scenario language, which is 1.
    public var version: Int = 1
    /// The scenario's name.
    public var name: String
    /// The description shown in lists of scenarios.
    public var description: String = ""
    /// The seed for all random choices.
    public var seed: UInt64 = 42
    /// The initial data of each arm.
    public var dataset: Dataset
    /// The arms, in file order.
    public var arms: [Arm]
    /// The phases, in order.
    public var phases: [Phase]
    /// The maximum time to wait for running accesses after the last phase.
    public var drain: Duration = .seconds(2)
    /// The variables that statements use, keyed by name.
    public var variables: [String: Variable] = [:]
    /// The steps of each named statement or transaction, in order, keyed by name.
    public var transactions: [String: [Step]] = [:]
    /// The clients, in file order.
    public var clients: [Client]
    /// The primary metrics of a comparison, such as `ui.response.p99`.
    public var primary: [String] = []
    /// The limits that a run must meet to pass.
    public var thresholds: [Threshold] = []
    /// The names of the predefined invariants.
    public var invariants: [String] = []
    /// The custom invariants.
    public var dataInvariants: [DataInvariant] = []
    /// The text of the file.
    public var source: String = ""
    /// The settings applied after decoding the file, in order.
    package internal(set) var settings: [Setting] = []
    /// The name of the file as given, for messages.
    public var file: String = ""
    /// The sources of the ranges that variables inherit from the dataset, keyed by variable name.
    var inheritedRanges: [String: RangeSource] = [:]
    var statementPositions = TextPositions()

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

    /// The variables of the dataset and the scenario.
    ///
    /// The scenario's variables take precedence.
    public var allVariables: [String: Variable] {
        dataset.variables.merging(variables) { _, declared in declared }
    }

    /// The arms that run by default.
    ///
    /// GRDB arms are excluded unless all arms use GRDB, because not every program supports GRDB.
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
    /// The length of the phase.
    public var duration: Duration
    /// Whether the results include accesses in the phase.
    public var isMeasured: Bool

    /// Creates a phase.
    public init(name: String, duration: Duration, isMeasured: Bool = true) {
        self.name = name
        self.duration = duration
        self.isMeasured = isMeasured
    }
}

/// A duration or a point in time, either absolute or as a share of the measured time.
public enum TimeSpan: Sendable, Equatable {
    /// A duration.
    case absolute(Duration)
    /// A share of the measured time, from 0 to 1.
    case share(Double)

    /// Returns the duration in a run with the given measured time.
    public func resolved(in measured: Duration) -> Duration {
        switch self {
        case .absolute(let duration): duration
        case .share(let share): measured * share
        }
    }
}
