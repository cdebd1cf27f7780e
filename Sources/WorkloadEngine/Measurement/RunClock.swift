import Foundation
import Telemetry

/// The clock of a run: monotonic, in nanoseconds from an arbitrary origin.
///
/// A protocol, so that tests run a workload of seconds in no time.
package protocol RunClock: Sendable {
    /// The time now, in nanoseconds.
    func now() -> UInt64

    /// Makes what one thread waits with; call it before the thread starts.
    func makeSleeper() -> any Sleeper
}

/// How one thread waits for a moment, and how others wake it.
package protocol Sleeper: AnyObject, Sendable {
    /// Waits until the clock reads `deadline`, or until ``wake()``.
    ///
    /// A wake that came before the call ends it at once. Who returns looks at the clock.
    func sleep(until deadline: UInt64)

    /// Ends the current sleep, or else the next one.
    func wake()

    /// Says that the thread is over.
    func retire()
}

/// The machine's monotonic clock.
package struct MonotonicClock: RunClock {
    /// Creates the clock.
    package init() {}

    /// The time now, in nanoseconds from an arbitrary origin.
    package func now() -> UInt64 {
        monotonicNanoseconds()
    }

    /// Makes a sleeper on this clock.
    package func makeSleeper() -> any Sleeper {
        ThreadSleeper()
    }

    /// The processor time that the calling thread has used, in nanoseconds.
    static func threadProcessorTime() -> UInt64 {
        read(CLOCK_THREAD_CPUTIME_ID)
    }

    /// The processor time that the whole process has used, in nanoseconds.
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
    /// The duration in nanoseconds; a negative one counts as zero.
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
