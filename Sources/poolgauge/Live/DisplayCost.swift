#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The share of one CPU that the thread of the display uses, measured once a second.
struct DisplayCost {
    /// The share over the last second, in 0…1; nil in the first one.
    private(set) var share: Double?

    private var wall = MonotonicTime.now
    private var cpu = DisplayCost.threadTime

    /// Looks at the clocks, if a second has passed.
    mutating func update(now: UInt64) {
        guard now &- wall >= 1_000_000_000 else { return }
        let used = Self.threadTime
        share = Double(used &- cpu) / Double(now &- wall)
        wall = now
        cpu = used
    }

    private static var threadTime: UInt64 { MonotonicTime.nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) }
}

/// The clock that nobody sets.
enum MonotonicTime {
    /// Nanoseconds since an arbitrary moment.
    static var now: UInt64 { nanoseconds(of: CLOCK_MONOTONIC) }

    fileprivate static func nanoseconds(of clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
