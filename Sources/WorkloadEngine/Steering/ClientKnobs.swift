import Synchronization
import Telemetry

/// What can be turned of one client while the load runs: its workers look before each turn, which
/// costs them one atomic load.
final class ClientKnobs: Sendable {
    /// What a worker goes by.
    struct Settings: Sendable, Equatable {
        /// How many workers are at work; those with a higher number rest.
        var workers: Int
        /// The sums of the operations' weights up to each of them.
        var cumulativeWeights: [Double]
        /// How long a hold or a snapshot lasts, in nanoseconds.
        var holdTime: UInt64
    }

    private let settings: Lock<Settings>
    private let epochValue = Atomic<UInt64>(1)

    /// Creates knobs that stand as the scenario says.
    init(_ settings: Settings) {
        self.settings = Lock(settings)
    }

    /// Counts the changes; from 1 on.
    @inline(__always)
    var epoch: UInt64 { epochValue.load(ordering: .acquiring) }

    /// How they stand now.
    func read() -> Settings { settings.withLock { $0 } }

    /// Turns them; those who sleep have to be woken.
    func change(_ body: (inout Settings) -> Void) {
        settings.withLock { body(&$0) }
        epochValue.add(1, ordering: .acquiringAndReleasing)
    }
}
