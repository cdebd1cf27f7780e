import Foundation
import Telemetry

/// A primitive that puts one thread to sleep until another thread wakes it.
///
/// An early wake-up is not lost: the next ``park(until:)`` returns immediately.
///
/// `@unchecked Sendable`: the mutex protects `isSignalled`.
final class Parker: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isSignalled = false

    init() {
        mutex.initialize(to: pthread_mutex_t())
        condition.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
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
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Sleeps until ``unpark()`` is called or the monotonic clock reaches `deadline` nanoseconds.
    func park(until deadline: UInt64? = nil) {
        pthread_mutex_lock(mutex)
        while !isSignalled {
            guard let deadline else {
                pthread_cond_wait(condition, mutex)
                continue
            }
            if timedWait(until: deadline) == ETIMEDOUT { break }
        }
        isSignalled = false
        pthread_mutex_unlock(mutex)
    }

    /// Wakes the sleeping thread, or makes the next ``park(until:)`` return immediately.
    func unpark() {
        pthread_mutex_lock(mutex)
        isSignalled = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    private func timedWait(until deadline: UInt64) -> CInt {
        #if canImport(Darwin)
        let now = monotonicNanoseconds()
        guard deadline > now else { return ETIMEDOUT }
        var time = timespec(
            tv_sec: Int((deadline - now) / 1_000_000_000),
            tv_nsec: Int((deadline - now) % 1_000_000_000)
        )
        return pthread_cond_timedwait_relative_np(condition, mutex, &time)
        #else
        var time = timespec(
            tv_sec: Int(deadline / 1_000_000_000),
            tv_nsec: Int(deadline % 1_000_000_000)
        )
        return pthread_cond_timedwait(condition, mutex, &time)
        #endif
    }
}
