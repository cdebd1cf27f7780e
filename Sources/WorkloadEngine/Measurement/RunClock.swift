import Foundation
import Telemetry

/// A run's clock, which is monotonic and counts nanoseconds from an arbitrary origin.
///
/// This is a protocol to enable tests to simulate a workload's time.
package protocol RunClock: Sendable {
    /// Returns the current time, in nanoseconds.
    func now() -> UInt64

    /// Creates a thread's sleeper. Call this method before the thread starts.
    func makeSleeper() -> any Sleeper
}

/// An object that lets a thread wait until a deadline and other threads wake it.
package protocol Sleeper: AnyObject, Sendable {
    /// Waits until the clock reaches `deadline` or until a call to ``wake()``.
    ///
    /// After an earlier call to ``wake()``, this method returns immediately. The caller must check
    /// the clock afterward.
    func sleep(until deadline: UInt64)

    /// Ends the current sleep, or the next one if the thread is not asleep.
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
    /// The duration in nanoseconds; a negative duration counts as zero.
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
