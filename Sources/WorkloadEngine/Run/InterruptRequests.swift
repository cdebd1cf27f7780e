import Telemetry

/// The interrupts that users and clients request, either for one connection or for all.
///
/// These interrupts do not target a specific access. Each of them can end any access that was
/// running when the interrupt was requested.
final class InterruptRequests: Sendable {
    private struct State: Sendable {
        /// The number of interrupts that are being sent.
        var sending = 0
        /// The clock time at which the last interrupt was sent, or `nil` if none was sent yet.
        var lastSent: UInt64?
    }

    private let clock: any RunClock
    private let state = Lock(State())

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

    /// Returns whether an interrupt may have ended an access that started at `start`.
    func mayAffectAccess(since start: UInt64) -> Bool {
        state.withLock { state in
            state.sending > 0 || state.lastSent.map { $0 >= start } ?? false
        }
    }
}
