/// A workload, as its YAML file tells it: data, arms, phases, clients, thresholds.
public struct Scenario: Sendable, Equatable {
    /// The version of the language: 1.
    public var version: Int = 1
    /// The scenario's name.
    public var name: String
    /// What it shows, for a list.
    public var description: String = ""
    /// The seed of all randomness.
    public var seed: UInt64 = 42
    /// The data that each arm starts with.
    public var dataset: Dataset
    /// The arms, in the file's order.
    public var arms: [Arm]
    /// The phases, in their order.
    public var phases: [Phase]
    /// How long accesses that run at the end are awaited.
    public var drain: Duration = .seconds(2)
    /// The variables of the SQL, by name.
    public var variables: [String: Variable] = [:]
    /// Named transactions: statements in their order.
    public var transactions: [String: [String]] = [:]
    /// The clients, in the file's order.
    public var clients: [Client]
    /// The metrics that a comparison decides on, such as `ui.response.p99`.
    public var primary: [String] = []
    /// What must hold for a run to pass.
    public var thresholds: [Threshold] = []
    /// What must hold for the data afterwards.
    public var invariants: [String] = []
    /// What else must hold for the data afterwards, asked by queries of the scenario's own.
    public var dataInvariants: [DataInvariant] = []
    /// The file's own text.
    public var source: String = ""
    /// The file's name as it was given, for messages.
    public var file: String = ""
    /// The variables whose range comes from one of the dataset's.
    var inheritedRanges: [String: RangeSource] = [:]
    /// Where the file has its statements.
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

    /// The variables that its statements can use: the dataset's own and, before them, those of
    /// the scenario.
    public var allVariables: [String: Variable] {
        dataset.variables.merging(variables) { _, declared in declared }
    }

    /// The arms that run when nobody names any: all but GRDB's, which not every program has.
    ///
    /// A scenario whose arms are all GRDB's runs them.
    public var defaultArms: [Arm] {
        let others = arms.filter { $0.library != .grdb }
        return others.isEmpty ? arms : others
    }

    /// The sum of the measured phases.
    public var measuredDuration: Duration {
        phases.filter(\.isMeasured).reduce(.zero) { $0 + $1.duration }
    }
}

/// A stretch of the run.
public struct Phase: Sendable, Equatable {
    /// The phase's name.
    public var name: String
    /// How long it lasts.
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

/// A length or a moment: absolute, or a share of the measured part of the run.
public enum TimeSpan: Sendable, Equatable {
    /// A duration.
    case absolute(Duration)
    /// A share of the measured part, in 0…1.
    case share(Double)

    /// The duration in a run whose measured part lasts `measured`.
    public func resolved(in measured: Duration) -> Duration {
        switch self {
        case .absolute(let duration): duration
        case .share(let share): measured * share
        }
    }
}
