/// A limiter that removes the probes of a process for a while when it loses too much of its time to
/// them.
///
/// The limiter considers only the thread with the highest cost, because a probe slows down only the
/// thread that reaches it.
struct CostLimiter {
    /// By which part a thread's work may take longer, on average, such as 0.05.
    let limit: Double
    private var intervalStart: UInt64
    private var pauseEnd: UInt64?
    /// What the thread with the highest cost lost during tracing in the last interval.
    private(set) var lost = LostShares.Loss()
    /// The length of a pause that compensates for the time lost by threads, in nanoseconds.
    private var debt: Double = 0
    /// By how many times a pause compensates for the window before it.
    ///
    /// The first pause also compensates for the next window, so that each trace that contains it is
    /// below the limit.
    private var repayments = 2.0

    /// The length of an interval between two decisions, in nanoseconds.
    static let interval: UInt64 = 200_000_000
    /// The minimum length of a pause, in nanoseconds.
    ///
    /// Removing the probes of a process takes 0.2 s.
    static let shortestPause: UInt64 = 1_000_000_000
    /// The maximum length of a pause, in nanoseconds.
    ///
    /// A thread that loses 90 percent of its time, and rests otherwise, pauses this long at a limit
    /// of 5 percent.
    static let longestPause: UInt64 = 60_000_000_000

    init(limit: Double, at now: UInt64) {
        self.limit = limit
        intervalStart = now
    }

    var isPaused: Bool { pauseEnd != nil }

    /// Decides whether to pause or resume tracing at the end of an interval or pause.
    ///
    /// - Parameters:
    ///   - now: The time on the monotonic clock, in nanoseconds.
    ///   - loss: A closure that returns what the thread with the highest cost lost in the given
    ///     number of nanoseconds since the last call. An argument of 0 restarts the count.
    /// - Returns: `true` to pause, `false` to resume, or `nil` for no change.
    mutating func decision(at now: UInt64, loss: (UInt64) -> LostShares.Loss) -> Bool? {
        if let end = pauseEnd {
            guard now >= end else { return nil }
            pauseEnd = nil
            repayments = 1
            intervalStart = now
            _ = loss(0)
            return false
        }
        let elapsed = now - min(intervalStart, now)
        guard elapsed >= Self.interval else { return nil }
        lost = loss(elapsed)
        intervalStart = now
        guard limit > 0 else { return nil }
        debt = max(0, debt + Double(elapsed) * (lost.slowdown / limit - 1))
        guard debt >= Double(Self.shortestPause) else { return nil }
        pauseEnd = now + UInt64(min(debt * repayments, Double(Self.longestPause)))
        debt = 0
        return true
    }

    /// Extends a pause because the probes were removed later than it started.
    mutating func extendPause(by delay: UInt64) {
        guard let end = pauseEnd, limit > 0 else { return }
        let length = Double(delay) * lost.slowdown / limit * repayments
        pauseEnd = end + UInt64(min(length, Double(Self.longestPause)))
    }
}
