import Telemetry

/// The interrupts of all connections, or of one, that users and clients request.
///
/// They have no single access as their aim: an access that such an interrupt ends was running when
/// the interrupt was requested.
final class InterruptRequests: Sendable {
    private struct State: Sendable {
        /// The number of interrupts that are being sent.
        var sending = 0
        /// The clock time at which the last one had been sent; nil before the first.
        var lastSent: UInt64?
    }

    private let clock: any RunClock
    private let state = Lock(State())

    /// Creates an empty log.
    init(clock: any RunClock) { self.clock = clock }

    /// Sends an interrupt.
    func send<T>(_ interrupt: () -> T) -> T {
        state.withLock { $0.sending += 1 }
        defer {
            let now = clock.now()
            state.withLock { state in
                state.sending -= 1
                state.lastSent = now
            }
        }
        return interrupt()
    }

    /// Whether an interrupt was requested since an access started, so that it may have ended it.
    func mayAffectAccess(since start: UInt64) -> Bool {
        state.withLock { state in
            state.sending > 0 || state.lastSent.map { $0 >= start } ?? false
        }
    }
}
