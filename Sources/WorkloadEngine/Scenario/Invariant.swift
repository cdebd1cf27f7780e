/// What can be asked to hold for the data after a run.
public enum Invariant: String, Sendable, CaseIterable {
    /// pgbench's four sums are equal: accounts, tellers, branches and the history's deltas.
    case tpcbSums = "tpcb-sums"
    /// What was read from each snapshot at its begin was read again at its end.
    case snapshotsStable = "snapshots-stable"
    /// `PRAGMA integrity_check` answers `ok`.
    case integrityCheck = "integrity-check"
    /// Transactions that run beside the load are strictly serializable.
    case isolation

    /// Why it can never be checked here; nil when it can.
    func problem(with dataset: Dataset, clients: [Client]) -> String? {
        switch self {
        case .tpcbSums:
            if case .pgbench = dataset { return nil }
            return "needs the pgbench dataset"
        case .snapshotsStable:
            let hasSnapshots = clients.contains {
                if case .snapshot = $0.activity { true } else { false }
            }
            return hasSnapshots ? nil : "needs a client with access: snapshot"
        case .integrityCheck, .isolation:
            return nil
        }
    }
}
