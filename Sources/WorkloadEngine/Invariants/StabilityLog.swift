import Telemetry

/// Records whether snapshots remained unchanged.
final class StabilityLog: Sendable {
    /// The comparisons so far.
    struct Tally: Sendable {
        /// The number of snapshots that were read at their start and at their end.
        var compared = 0
        /// The clients that created the changed snapshots.
        var changed: [String] = []
    }

    private let tally = Lock(Tally())

    /// Records the result of a snapshot's second read.
    func record(by maker: String, isStable: Bool) {
        tally.withLock { tally in
            tally.compared += 1
            if !isStable { tally.changed.append(maker) }
        }
    }

    /// Returns the comparisons so far.
    func read() -> Tally {
        tally.withLock { $0 }
    }
}
