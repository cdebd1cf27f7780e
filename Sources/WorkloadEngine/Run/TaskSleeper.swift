import Telemetry

/// How a task waits for a moment without blocking a thread, and how others wake it.
final class TaskSleeper: Sleeper {
    private struct State: Sendable {
        var isAwake = false
        var continuation: CheckedContinuation<Void, Never>?
        var ticket: AlarmClock.Ticket?
    }

    private let alarm: AlarmClock
    private let state = Lock(State())

    /// Creates what one task waits with.
    init(alarm: AlarmClock) { self.alarm = alarm }

    /// Waits until the clock reads `deadline`, or until ``wake()``.
    func sleep(until deadline: UInt64) async {
        await withCheckedContinuation { continuation in
            let isAwake = state.withLock { state in
                if state.isAwake {
                    state.isAwake = false
                    return true
                }
                state.continuation = continuation
                if deadline != .max {
                    state.ticket = alarm.set(at: deadline) { [self] in end(isWake: false) }
                }
                return false
            }
            if isAwake { continuation.resume() }
        }
    }

    /// A task never blocks.
    func sleep(until deadline: UInt64) {
        preconditionFailure("a task awaits the moment")
    }

    func wake() { end(isWake: true) }

    private func end(isWake: Bool) {
        let (continuation, ticket) = state.withLock { state in
            let taken = (state.continuation, state.ticket)
            if taken.0 == nil, isWake { state.isAwake = true }
            state.continuation = nil
            state.ticket = nil
            return taken
        }
        // An alarm that rings is no longer set.
        if isWake, let ticket { alarm.cancel(ticket) }
        continuation?.resume()
    }

    func retire() {}
}
