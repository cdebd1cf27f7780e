import Telemetry

/// The cost and failures of the isolation invariant's accesses.
final class IsolationCosts: Sendable {
    private struct State {
        var held: UInt64 = 0
        var failures = 0
        var firstFailure: String?
    }

    private let clock: any RunClock
    private let state = Lock(State())

    init(clock: any RunClock) { self.clock = clock }

    /// Runs an access's closure and adds the time during which it holds its connection.
    func measure(_ body: () throws -> Void) rethrows {
        let start = clock.now()
        defer {
            let time = clock.now() &- start
            state.withLock { $0.held += time }
        }
        try body()
    }

    /// Counts an access that failed.
    func note(_ error: any Error) {
        state.withLock { state in
            state.failures += 1
            if state.firstFailure == nil { state.firstFailure = "\(error)" }
        }
    }

    /// Returns and resets the time during which connections were held, in nanoseconds.
    func takeHeldTime() -> UInt64 {
        state.withLock { state in
            defer { state.held = 0 }
            return state.held
        }
    }

    /// The first error, or nil if no access failed.
    var firstFailure: String? { state.withLock { $0.firstFailure } }
}
