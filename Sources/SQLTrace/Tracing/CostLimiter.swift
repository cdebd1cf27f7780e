/// A limiter that removes the probes of a process for a while when it loses too much of its time to
/// them.
///
/// The limiter considers only the thread with the highest cost, because a probe slows down only the
/// thread that reaches it.
struct CostLimiter {
    /// The share of time, from 0 to 1, that a thread may lose.
    let limit: Double
    private var intervalStart: UInt64
    private var pauseEnd: UInt64?
    /// The share of time that the busiest thread lost during tracing in the last interval.
    private(set) var share: Double = 0
    /// The length of a pause that compensates for the time lost by threads, in nanoseconds.
    private var debt: Double = 0

    /// The length of an interval between two decisions, in nanoseconds.
    static let interval: UInt64 = 200_000_000
    /// The minimum length of a pause, in nanoseconds.
    ///
    /// Removing the probes of a process takes 0.2 s.
    static let shortestPause: UInt64 = 1_000_000_000
    /// The maximum length of a pause, in nanoseconds.
    static let longestPause: UInt64 = 5_000_000_000

    init(limit: Double, at now: UInt64) {
        self.limit = limit
        intervalStart = now
    }

    var isPaused: Bool { pauseEnd != nil }

    /// Decides whether to pause or resume tracing at the end of an interval or pause.
    ///
    /// - Parameters:
    ///   - now: The time on the monotonic clock, in nanoseconds.
    ///   - lost: A closure that returns the share that the busiest thread lost in the given number
    ///     of nanoseconds since the last call. An argument of 0 restarts the count.
    /// - Returns: `true` to pause, `false` to resume, or `nil` for no change.
    mutating func decision(at now: UInt64, lost: (UInt64) -> Double) -> Bool? {
        if let end = pauseEnd {
            guard now >= end else { return nil }
            pauseEnd = nil
            intervalStart = now
            _ = lost(0)
            return false
        }
        let elapsed = now - min(intervalStart, now)
        guard elapsed >= Self.interval else { return nil }
        share = lost(elapsed)
        intervalStart = now
        guard limit > 0 else { return nil }
        debt = max(0, debt + Double(elapsed) * (share / limit - 1))
        guard debt >= Double(Self.shortestPause) else { return nil }
        pauseEnd = now + UInt64(min(debt, Double(Self.longestPause)))
        debt = 0
        return true
    }

    /// Extends a pause because the probes were removed later than it started.
    mutating func extendPause(by delay: UInt64) {
        guard let end = pauseEnd, limit > 0 else { return }
        pauseEnd = end + UInt64(min(Double(delay) * share / limit, Double(Self.longestPause)))
    }
}
