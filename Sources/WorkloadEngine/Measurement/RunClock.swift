import Foundation
import Telemetry

/// The monotonic clock of a run, which counts nanoseconds from an arbitrary origin.
///
/// Tests implement this protocol to simulate the time of a workload.
package protocol RunClock: Sendable {
    /// Returns the current time, in nanoseconds.
    func now() -> UInt64

    /// Creates a sleeper for a thread.
    ///
    /// Call this method before the thread starts.
    func makeSleeper() -> any Sleeper
}

/// Lets a thread wait until a deadline and lets other threads wake it.
package protocol Sleeper: AnyObject, Sendable {
    /// Waits until the clock reaches `deadline` or ``wake()`` is called.
    ///
    /// If ``wake()`` was called earlier, this method returns immediately. The caller must check the
    /// clock afterward.
    func sleep(until deadline: UInt64)

    /// Ends the current sleep, or the next sleep if the thread is awake.
    func wake()

    /// Notifies the clock that the thread has ended.
    func retire()
}

/// The machine's monotonic clock.
package struct MonotonicClock: RunClock {
    /// Creates the clock.
    package init() {}

    /// Returns the current time, in nanoseconds from an arbitrary origin.
    package func now() -> UInt64 {
        monotonicNanoseconds()
    }

    /// Creates a sleeper on this clock.
    package func makeSleeper() -> any Sleeper {
        ThreadSleeper()
    }

    /// Returns the processor time of the calling thread, in nanoseconds.
    static func threadProcessorTime() -> UInt64 {
        read(CLOCK_THREAD_CPUTIME_ID)
    }

    /// Returns the processor time of the process, in nanoseconds.
    static func processProcessorTime() -> UInt64 {
        read(CLOCK_PROCESS_CPUTIME_ID)
    }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}

extension Duration {
    /// The duration in nanoseconds, or zero if the duration is negative.
    var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : whole &+ UInt64(attoseconds / 1_000_000_000)
    }

    /// The duration in seconds.
    package var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
