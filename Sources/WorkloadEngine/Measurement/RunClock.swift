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

extension Duration {
    var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : whole &+ UInt64(attoseconds / 1_000_000_000)
    }

    package var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
