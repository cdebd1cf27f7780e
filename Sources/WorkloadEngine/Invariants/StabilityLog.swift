import Telemetry

/// A log that counts the snapshots whose state was compared, and records which snapshots changed.
final class StabilityLog: Sendable {
    struct Tally: Sendable {
        /// The number of snapshots that were read at their start and end.
        var compared = 0
        /// The name of the client of each snapshot that changed.
        var changed: [String] = []
    }

    private let tally = Lock(Tally())

    /// Records whether a client's snapshot had the same state at its start and end.
    func record(by client: String, isStable: Bool) {
        tally.withLock { tally in
            tally.compared += 1
            if !isStable { tally.changed.append(client) }
        }
    }

    func read() -> Tally {
        tally.withLock { $0 }
    }
}
