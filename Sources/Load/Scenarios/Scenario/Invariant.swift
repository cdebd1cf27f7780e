/// A predefined invariant of the data after a run.
public enum Invariant: String, Sendable, CaseIterable {
    /// The sums of pgbench's accounts, tellers, branches, and history are equal.
    case tpcbSums = "tpcb-sums"
    /// Each snapshot returned the same data at its start and end.
    case snapshotsStable = "snapshots-stable"
    /// `PRAGMA integrity_check` returns `ok`.
    case integrityCheck = "integrity-check"

    /// Returns the reason a scenario cannot check the invariant, or `nil` if it can.
    func problem(with dataset: Dataset, clients: [Client]) -> String? {
        switch self {
        case .tpcbSums:
            if case .pgbench = dataset { return nil }
            return "requires dataset: {preset: pgbench}"
        case .snapshotsStable:
            let hasSnapshots = clients.contains {
                if case .snapshot = $0.activity { true } else { false }
            }
            return hasSnapshots ? nil : "requires a client with access: snapshot"
        case .integrityCheck:
            return nil
        }
    }
}

/// A custom invariant of the data after a run.
public struct DataInvariant: Sendable, Equatable {
    /// The invariant's name in results.
    public var name: String
    /// A query without parameters.
    ///
    /// The invariant holds if the first row contains neither 0 nor NULL.
    public var sql: String

    /// Creates an invariant.
    public init(name: String, sql: String) {
        self.name = name
        self.sql = sql
    }
}
