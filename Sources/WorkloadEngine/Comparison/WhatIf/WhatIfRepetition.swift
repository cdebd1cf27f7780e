/// Real runs of the setting that was recorded: whether the machine still gives what it gave.
public struct WhatIfRepetition: Sendable, Codable, Equatable {
    /// How many runs there were.
    public var runs: Int
    /// The clients' waits, by name; those without a 99th percentile on both sides are absent.
    public var clients: [String: Client]
    /// Why the numbers mean little, those of now or the recorded ones; absent when they do not.
    public var problem: String?

    /// A client's 99th percentile of waiting, in nanoseconds.
    public struct Client: Sendable, Codable, Equatable {
        /// What was recorded.
        public var recorded: UInt64
        /// What it is now, of all runs' accesses together.
        public var now: UInt64
        /// The smallest that a run gives now; absent for one run, and when one of them has too few
        /// accesses.
        public var least: UInt64?
        /// The largest that a run gives now; absent as ``least`` is.
        public var most: UInt64?
        /// What that says.
        public var verdict: Verdict
    }

    /// Whether a client waits as it did.
    public enum Verdict: String, Sendable, Codable {
        /// They differ by no more than the larger of 25 % of what is measured now and a millisecond.
        case same
        /// They lie further apart than that, and than single runs do.
        case changed
        /// They lie further apart, but single runs, real or simulated, do so too; or the runs mean
        /// little.
        case inconclusive
    }
}

extension WhatIfRepetition {
    /// What a reader of the checks should know of it.
    var notes: [String] {
        let changed = clients.filter { $0.value.verdict == .changed }.keys.sorted()
        guard problem == nil, !changed.isEmpty else { return [] }
        return [
            "\(changed.joined(separator: ", ")) waited for another time when the run was recorded "
                + "than in the same setting now: where a check is off, the machine may have changed, "
                + "or what else it does"
        ]
    }
}
