import Telemetry

/// A sleeper that suspends a task until a deadline or a wake-up without blocking a thread.
final class TaskSleeper: Sleeper {
    private struct State: Sendable {
        var isAwake = false
        var continuation: CheckedContinuation<Void, Never>?
        var ticket: AlarmClock.Ticket?
    }

    private let alarm: AlarmClock
    private let state = Lock(State())

    init(alarm: AlarmClock) { self.alarm = alarm }

    func sleep(until deadline: UInt64) async {
        await withCheckedContinuation { continuation in
            let isAwake = state.withLock { state in
                if state.isAwake {
                    state.isAwake = false
                    return true
                }
                state.continuation = continuation
                if deadline != .max {
                    state.ticket = alarm.set(at: deadline) { [self] in end(isWakeUp: false) }
                }
                return false
            }
            if isAwake { continuation.resume() }
        }
    }

    func sleep(until deadline: UInt64) {
        preconditionFailure("a task must use the asynchronous sleep(until:)")
    }

    func wake() { end(isWakeUp: true) }

    private func end(isWakeUp: Bool) {
        let (continuation, ticket) = state.withLock { state in
            let removed = (state.continuation, state.ticket)
            if removed.0 == nil, isWakeUp { state.isAwake = true }
            state.continuation = nil
            state.ticket = nil
            return removed
        }
        // If the alarm ended the sleep, there is no alarm to cancel.
        if isWakeUp, let ticket { alarm.cancel(ticket) }
        continuation?.resume()
    }

    func retire() {}
}
