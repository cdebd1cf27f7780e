#if GRDB
import EngineTarget
import Telemetry
import WorkloadEngine

/// The busy handler of GRDB's writing connection, and the waits after which the handler gave up.
///
/// GRDB's errors do not contain the wait. Exactly one access fails each time the handler gives up,
/// so errors and waits are matched in order.
final class GRDBBusyWaits: Sendable {
    private let wait: BusyWait
    private let waits = Lock<[BusyFailure.Handler]>([])
    /// The maximum number of waits that are not yet matched with an error.
    private static let maximumWaitCount = 64

    /// Creates a handler.
    ///
    /// Without a timeout, the handler gives up immediately, as GRDB does by default.
    init(_ arm: Arm) {
        wait = BusyWait(timeout: arm.busyTimeout ?? .zero, retry: arm.busyRetry)
    }

    func handle(tries: Int) -> Bool {
        if wait.handle(tries: tries) { return true }
        let outcome = wait.takeHandler()
        waits.withLock { waits in
            if waits.count == Self.maximumWaitCount { waits.removeFirst() }
            waits.append(outcome)
        }
        return false
    }

    /// Removes and returns the handler's role in an access that failed with plain `SQLITE_BUSY`.
    func take() -> BusyFailure.Handler {
        waits.withLock { $0.isEmpty ? .skipped : $0.removeFirst() }
    }
}
#endif
