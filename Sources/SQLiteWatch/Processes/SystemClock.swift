#if os(Linux)
import Glibc

/// The system's clocks, in nanoseconds unless stated otherwise.
enum SystemClock {
    /// The processor time of this thread.
    static var thread: UInt64 { reading(CLOCK_THREAD_CPUTIME_ID) }

    /// The processor time of this process.
    static var process: UInt64 { reading(CLOCK_PROCESS_CPUTIME_ID) }

    /// The time since the system started.
    static var monotonic: UInt64 { reading(CLOCK_MONOTONIC) }

    /// The time since 1970, in milliseconds.
    static var calendarMilliseconds: Int64 { Int64(reading(CLOCK_REALTIME) / 1_000_000) }

    /// Sleeps until a time on the monotonic clock or until a signal arrives.
    static func sleep(until time: UInt64) {
        var moment = timespec(
            tv_sec: Int(time / 1_000_000_000),
            tv_nsec: Int(time % 1_000_000_000)
        )
        // Do not continue to sleep after a signal, because the signal may be a request to exit.
        clock_nanosleep(CLOCK_MONOTONIC, Int32(TIMER_ABSTIME), &moment, nil)
    }

    private static func reading(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
#endif
