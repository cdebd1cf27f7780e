/// A value that one thread owes to a task, which awaits it without a thread.
///
/// The value lies behind a lock, and the continuation only wakes the task. A continuation that
/// carried it would be as safe, but not for everyone to see: a task that is resumed before it
/// has gone to sleep just goes on, and the thread sanitizer knows no step that orders what the
/// other thread did before with what the task does next.
package final class Promise<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var continuation: CheckedContinuation<Void, Never>?
    }

    private let state = Lock(State())

    /// Creates a promise that is still owed.
    package init() {}

    /// Gives the value, from any thread, and wakes the task that awaits it; only the first counts.
    package func fulfill(_ value: Value) {
        let continuation = state.withLock { state in
            if state.value == nil { state.value = value }
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume()
    }

    /// Waits for the value; one task at a time may.
    ///
    /// Cancelling the task does not end the wait: who cancels fulfils the promise with an error.
    package func value() async -> Value {
        while true {
            if let value = state.withLock({ $0.value }) { return value }
            await withCheckedContinuation { continuation in
                let isOwed = state.withLock { state in
                    if state.value != nil { return false }
                    precondition(state.continuation == nil, "a promise is awaited by one task")
                    state.continuation = continuation
                    return true
                }
                if !isOwed { continuation.resume() }
            }
        }
    }
}
