import Telemetry

/// Records whether snapshots remained unchanged.
final class StabilityLog: Sendable {
    /// The comparisons so far.
    struct Tally: Sendable {
        /// The number of snapshots that were read at their start and at their end.
        var compared = 0
        /// The clients that took the snapshots that changed.
        var changed: [String] = []
    }

    private let tally = Lock(Tally())

    /// Records whether a snapshot was unchanged at its second read.
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
