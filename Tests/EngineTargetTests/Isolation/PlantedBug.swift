/// A bug that a wrapper adds to a correct target.
enum PlantedBug: String, CaseIterable, Sendable {
    /// Some reads observe a state from before the last commits.
    case staleRead
    /// A write reads in one transaction and writes in another.
    case lostUpdate
    /// Some reads observe the changes of an open transaction.
    case dirtyRead
    /// A write that throws is committed.
    case abortedWrite
    /// Each statement in a write is committed immediately.
    case intermediateRead
    /// Each statement in a read observes a different state.
    case readSkew
    /// Some writes return without an error but are rolled back.
    case lostCommit
    /// Some reads observe an older state than previous reads.
    case nonMonotonicRead
    /// A snapshot returns the current state in each of its reads.
    case movingSnapshot

    /// The anomalies of which the invariant must report at least one.
    var expected: [String] {
        switch self {
        case .staleRead: ["stale read"]
        case .lostUpdate: ["lost update (P4)"]
        case .dirtyRead:
            ["read of an uncommitted write", "read of an aborted write (G1a)"]
        case .abortedWrite: ["read of an aborted write (G1a)"]
        case .intermediateRead: ["intermediate read (G1b)"]
        case .readSkew: ["read skew (G-single)", "non-repeatable read"]
        case .lostCommit: ["lost acknowledged commit"]
        case .nonMonotonicRead: ["non-monotonic read"]
        case .movingSnapshot: ["non-repeatable read"]
        }
    }
}
