/// A type that determines whether the next step of a similar length fits into a time limit.
struct TimeLimit {
    private let clock: any RunClock
    private let end: UInt64
    /// The end of the last step.
    private var last: UInt64
    private var longest: UInt64 = 0

    init(_ limit: Duration, clock: any RunClock) {
        self.clock = clock
        last = clock.now()
        end = last + limit.wholeNanoseconds
    }

    /// Records the end of a step, and returns whether a step as long as the longest so far fits
    /// into the remaining time.
    mutating func fitsAnotherStep() -> Bool {
        let now = clock.now()
        longest = max(longest, now - last)
        last = now
        return now + longest <= end
    }
}
