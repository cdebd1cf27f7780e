import Telemetry

/// Tracks interrupts that users and clients send to one connection or to all connections.
///
/// These interrupts do not target a specific access. Each can end any access that is running when
/// the interrupt is sent.
final class InterruptRequests: Sendable {
    private struct State: Sendable {
        var sending = 0
        var lastSent: UInt64?
    }

    private let clock: any RunClock
    private let state = Lock(State())

    init(clock: any RunClock) { self.clock = clock }

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
