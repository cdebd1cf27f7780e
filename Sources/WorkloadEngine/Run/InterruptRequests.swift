import Telemetry

/// An object that tracks interrupts that users and clients send to one connection or to all
/// connections.
///
/// These interrupts do not target a specific access. Each can end any access that is running when
/// the interrupt is sent.
final class InterruptRequests: Sendable {
    private struct State: Sendable {
        var sendingCount = 0
        var lastSentAt: UInt64?
    }

    private let clock: any RunClock
    private let state = Lock(State())

    init(clock: any RunClock) { self.clock = clock }

    func send<T>(_ interrupt: () -> T) -> T {
        state.withLock { $0.sendingCount += 1 }
        defer {
            let now = clock.now()
            state.withLock { state in
                state.sendingCount -= 1
                state.lastSentAt = now
            }
        }
        return interrupt()
    }

    /// Returns whether an interrupt may have ended an access that started at `start`.
    func mayAffectAccess(since start: UInt64) -> Bool {
        state.withLock { state in
            state.sendingCount > 0 || state.lastSentAt.map { $0 >= start } ?? false
        }
    }
}
