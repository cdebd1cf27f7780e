#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

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

/// A value protected by a mutex.
///
/// This is the project's only lock type. It uses `pthread_mutex_t`, because Thread Sanitizer
/// supports `pthread_mutex_t` but reports false positives for `Synchronization.Mutex`. Using the
/// same lock type with and without the sanitizer ensures that the tested code is the shipped code.
/// An uncontended database access does not acquire a lock.
///
/// `@unchecked Sendable` is safe because `state` is accessed only while the mutex is held.
package final class Lock<State>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var state: State

    package init(_ state: State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` while holding the mutex.
    @inline(__always)
    package func withLock<Result>(
        _ body: (inout State) throws -> Result
    ) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }
}
