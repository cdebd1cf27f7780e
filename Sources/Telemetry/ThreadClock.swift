#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

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
