#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A value behind a mutex: the one lock type of the project.
///
/// It is a `pthread_mutex_t` rather than `Synchronization.Mutex`: the thread sanitizer knows the
/// former and reports races inside the latter that are none, and what is tested under the
/// sanitizer is then what ships. No lock is taken on the path of an uncontended access.
///
/// `@unchecked Sendable`: the mutex protects `state`, which nothing else reaches.
package final class Lock<State>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var state: State

    /// Creates a lock around a value.
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

    /// Runs `body` while no other thread is inside.
    @inline(__always)
    package func withLock<Result>(
        _ body: (inout State) throws -> Result
    ) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }
}
