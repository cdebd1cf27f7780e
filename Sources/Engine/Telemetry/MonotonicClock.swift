#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Returns the time of the system's monotonic clock, in nanoseconds from an arbitrary origin.
@inline(__always)
package func monotonicNanoseconds() -> UInt64 {
    #if canImport(Darwin)
    clock_gettime_nsec_np(CLOCK_UPTIME_RAW)
    #else
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(bitPattern: Int64(time.tv_sec)) &* 1_000_000_000
        &+ UInt64(bitPattern: Int64(time.tv_nsec))
    #endif
}

/// Returns the CPU time that the calling thread has used, in nanoseconds.
package func threadNanoseconds() -> UInt64 {
    #if canImport(Darwin)
    clock_gettime_nsec_np(CLOCK_THREAD_CPUTIME_ID)
    #else
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(bitPattern: Int64(time.tv_sec)) &* 1_000_000_000
        &+ UInt64(bitPattern: Int64(time.tv_nsec))
    #endif
}
