/// A value that a thread provides and that a task awaits without blocking a thread.
///
/// The value is stored under a lock, and the continuation only wakes the task. Passing the value
/// through the continuation would be equally safe, but Thread Sanitizer could not verify the
/// transfer: if a task is resumed before it suspends, the task continues immediately, and the
/// sanitizer does not observe synchronization between the two threads.
package final class Promise<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var continuation: CheckedContinuation<Void, Never>?
    }

    private let state = Lock(State())

    package init() {}

    /// Sets the value and wakes the awaiting task.
    ///
    /// Later calls have no effect. Any thread can call this method.
    package func fulfill(_ value: Value) {
        let continuation = state.withLock { state in
            if state.value == nil { state.value = value }
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume()
    }

    /// Waits for the value.
    ///
    /// Only one task may wait at a time. Canceling the task does not end the wait, so code that
    /// cancels the task must also fulfill the promise.
    package func value() async -> Value {
        while true {
            if let value = state.withLock({ $0.value }) { return value }
            await withCheckedContinuation { continuation in
                let isSuspended = state.withLock { state in
                    if state.value != nil { return false }
                    precondition(state.continuation == nil, "only one task may await a promise")
                    state.continuation = continuation
                    return true
                }
                if !isSuspended { continuation.resume() }
            }
        }
    }
}
