import Telemetry

/// Whether snapshots kept showing what they showed first.
final class StabilityLog: Sendable {
    /// What was seen so far.
    struct Tally: Sendable {
        /// Snapshots that were read at their begin and at their end.
        var compared = 0
        /// Who made those that had changed.
        var changed: [String] = []
    }

    private let tally = Lock(Tally())

    /// Notes what a snapshot's second reading showed.
    func record(by maker: String, isStable: Bool) {
        tally.withLock { tally in
            tally.compared += 1
            if !isStable { tally.changed.append(maker) }
        }
    }

    /// What was seen so far.
    func read() -> Tally {
        tally.withLock { $0 }
    }
}
