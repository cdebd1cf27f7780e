#if THREAD_SANITIZER
import Foundation
#else
import Synchronization
#endif

/// A value behind a lock that a thread holds for a moment.
///
/// `Synchronization.Mutex` normally. Under the thread sanitizer `pthread_mutex_t`, because the
/// slow path of `Mutex` is not instrumented there and would be reported as a race.
final class Lock<Value>: Sendable where Value: Sendable {
    #if THREAD_SANITIZER
    // Protected by `mutex`.
    nonisolated(unsafe) private var value: Value
    // A pthread mutex must not move, so it lives behind a pointer that never changes.
    nonisolated(unsafe) private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// Creates a lock around `value`.
    init(_ value: Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` alone with the value.
    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
    #else
    private let mutex: Mutex<Value>

    /// Creates a lock around `value`.
    init(_ value: Value) {
        mutex = Mutex(value)
    }

    /// Runs `body` alone with the value.
    @inline(__always)
    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try mutex.withLock { value in try body(&value) }
    }
    #endif
}
