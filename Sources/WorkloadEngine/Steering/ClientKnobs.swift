import Synchronization
import Telemetry

/// A client's settings that can change while the load is running.
///
/// Workers check for changes before each turn, at the cost of one atomic load.
final class ClientKnobs: Sendable {
    struct Settings: Sendable, Equatable {
        /// The number of active workers.
        ///
        /// Workers with higher numbers are inactive.
        var workers: Int
        var cumulativeWeights: [Double]
        /// The length of a hold or a snapshot, in nanoseconds.
        var holdTime: UInt64
    }

    private let settings: Lock<Settings>
    private let epochValue = Atomic<UInt64>(1)

    init(_ settings: Settings) {
        self.settings = Lock(settings)
    }

    @inline(__always)
    var epoch: UInt64 { epochValue.load(ordering: .acquiring) }

    func read() -> Settings { settings.withLock { $0 } }

    /// Changes the settings.
    ///
    /// The caller must wake sleeping workers.
    func change(_ body: (inout Settings) -> Void) {
        settings.withLock { body(&$0) }
        epochValue.add(1, ordering: .acquiringAndReleasing)
    }
}
