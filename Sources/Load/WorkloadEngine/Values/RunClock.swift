import Foundation
import Telemetry

/// A monotonic clock that counts nanoseconds from an arbitrary origin.
///
/// Tests implement this protocol to simulate time.
package protocol RunClock: Sendable {
    /// Returns the time, in nanoseconds.
    func now() -> UInt64

    /// Creates a sleeper for a thread that has not started yet.
    func makeSleeper() -> any Sleeper
}

/// A sleeper that suspends a thread until a deadline or until another thread wakes it.
package protocol Sleeper: AnyObject, Sendable {
    /// Waits until the clock reaches `deadline` or a thread calls ``wake()``.
    ///
    /// If a thread has called ``wake()`` since the previous sleep, this method returns immediately.
    /// The caller must check the clock afterward.
    func sleep(until deadline: UInt64)

    /// Ends the current sleep, or the next sleep if the thread is awake.
    func wake()

    /// Marks the sleeper as unused. The thread must not sleep afterward.
    func retire()
}

package struct MonotonicClock: RunClock {
    package init() {}

    package func now() -> UInt64 {
        monotonicNanoseconds()
    }

    package func makeSleeper() -> any Sleeper {
        ThreadSleeper()
    }

    static func threadProcessorTime() -> UInt64 {
        read(CLOCK_THREAD_CPUTIME_ID)
    }

    static func processProcessorTime() -> UInt64 {
        read(CLOCK_PROCESS_CPUTIME_ID)
    }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}

/// A sleeper that uses a condition variable and an absolute time on the monotonic clock.
final class ThreadSleeper: Sleeper, @unchecked Sendable {
    // Unchecked: `mutex` protects `isAwake`, and the two pointers never change.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var isAwake = false

    init() {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        #if canImport(Darwin)
        pthread_cond_init(condition, nil)
        #else
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
        #endif
    }

    deinit {
        pthread_cond_destroy(condition)
        condition.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func sleep(until deadline: UInt64) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !isAwake {
            if deadline == .max {
                pthread_cond_wait(condition, mutex)
            } else if wait(until: deadline) == ETIMEDOUT {
                break
            }
        }
        isAwake = false
    }

    func wake() {
        pthread_mutex_lock(mutex)
        isAwake = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    func retire() {}

    private func wait(until deadline: UInt64) -> Int32 {
        #if canImport(Darwin)
        // Darwin's condition variables support relative waits, but not the monotonic clock.
        let now = MonotonicClock().now()
        guard deadline > now else { return ETIMEDOUT }
        var time = Self.time(deadline - now)
        return pthread_cond_timedwait_relative_np(condition, mutex, &time)
        #else
        var time = Self.time(deadline)
        return pthread_cond_timedwait(condition, mutex, &time)
        #endif
    }

    private static func time(_ nanoseconds: UInt64) -> timespec {
        timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000),
            tv_nsec: Int(nanoseconds % 1_000_000_000)
        )
    }
}
