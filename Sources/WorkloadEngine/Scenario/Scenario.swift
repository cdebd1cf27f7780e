/// A workload, as in its YAML file: data, arms, phases, clients, thresholds.
public struct Scenario: Sendable, Equatable {
    /// The version of the language: 1.
    public var version: Int = 1
    /// The scenario's name.
    public var name: String
    /// The description for lists.
    public var description: String = ""
    /// The seed of all randomness.
    public var seed: UInt64 = 42
    /// The data that each arm starts with.
    public var dataset: Dataset
    /// The arms, in the file's order.
    public var arms: [Arm]
    /// The phases, in order.
    public var phases: [Phase]
    /// The time for which the end of a run waits for running accesses.
    public var drain: Duration = .seconds(2)
    /// The variables of the SQL, by name.
    public var variables: [String: Variable] = [:]
    /// Named transactions: statements in order.
    public var transactions: [String: [String]] = [:]
    /// The clients, in the file's order.
    public var clients: [Client]
    /// The deciding metrics of a comparison, such as `ui.response.p99`.
    public var primary: [String] = []
    /// The conditions for a run to pass.
    public var thresholds: [Threshold] = []
    /// The predefined invariants of the data, by name.
    public var invariants: [String] = []
    /// The custom invariants of the data.
    public var dataInvariants: [DataInvariant] = []
    /// The file's text.
    public var source: String = ""
    /// The settings that changed the scenario after its file, in order.
    package internal(set) var settings: [Setting] = []
    /// The file's name as given, for messages.
    public var file: String = ""
    /// The variables whose range comes from a variable of the dataset.
    var inheritedRanges: [String: RangeSource] = [:]
    /// The places of the statements in the file.
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

    /// The variables of its statements: the scenario's variables, which override the dataset's.
    public var allVariables: [String: Variable] {
        dataset.variables.merging(variables) { _, declared in declared }
    }

    /// The arms that run by default: all except those of GRDB, which not every program includes.
    ///
    /// If all arms use GRDB, they run by default.
    public var defaultArms: [Arm] {
        let others = arms.filter { $0.library != .grdb }
        return others.isEmpty ? arms : others
    }

    /// The total length of the measured phases.
    public var measuredDuration: Duration {
        phases.filter(\.isMeasured).reduce(.zero) { $0 + $1.duration }
    }
}

/// A phase of the run.
public struct Phase: Sendable, Equatable {
    /// The phase's name.
    public var name: String
    /// The phase's length.
    public var duration: Duration
    /// Whether its accesses count.
    public var isMeasured: Bool

    /// Creates a phase.
    public init(name: String, duration: Duration, isMeasured: Bool = true) {
        self.name = name
        self.duration = duration
        self.isMeasured = isMeasured
    }
}

/// A length or a time: absolute, or a share of the measured part of the run.
public enum TimeSpan: Sendable, Equatable {
    /// A duration.
    case absolute(Duration)
    /// A share of the measured part, in 0…1.
    case share(Double)

    /// Returns the duration in a run whose measured part lasts `measured`.
    public func resolved(in measured: Duration) -> Duration {
        switch self {
        case .absolute(let duration): duration
        case .share(let share): measured * share
        }
    }
}
