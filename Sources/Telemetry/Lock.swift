#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

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
