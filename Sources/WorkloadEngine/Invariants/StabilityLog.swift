import Telemetry

final class StabilityLog: Sendable {
    struct Tally: Sendable {
        /// The number of snapshots that were read at their start and end.
        var compared = 0
        var changed: [String] = []
    }

    private let tally = Lock(Tally())

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
