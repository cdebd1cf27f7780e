import Telemetry

/// The hold times and failures of the transactions that check isolation.
final class IsolationCosts: Sendable {
    private struct State {
        var held: UInt64 = 0
        var failures = 0
        var firstFailure: String?
    }

    private let clock: any RunClock
    private let state = Lock(State())

    init(clock: any RunClock) { self.clock = clock }

    /// Calls `body`, which holds a connection, and adds its time to the total hold time.
    func measure(_ body: () throws -> Void) rethrows {
        let start = clock.now()
        defer {
            let time = clock.now() &- start
            state.withLock { $0.held += time }
        }
        try body()
    }

    func note(_ error: any Error) {
        state.withLock { state in
            state.failures += 1
            if state.firstFailure == nil { state.firstFailure = "\(error)" }
        }
    }

    /// Returns and resets the total hold time, in nanoseconds.
    func takeHeldTime() -> UInt64 {
        state.withLock { state in
            defer { state.held = 0 }
            return state.held
        }
    }

    var firstFailure: String? { state.withLock { $0.firstFailure } }
}
