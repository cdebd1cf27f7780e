/// Determines whether another step of similar length fits into a time limit.
struct TimeLimit {
    private let clock: any RunClock
    private let end: UInt64
    private var last: UInt64
    private var longest: UInt64 = 0

    init(_ limit: Duration, clock: any RunClock) {
        self.clock = clock
        last = clock.now()
        end = last + limit.wholeNanoseconds
    }

    /// Records the end of a step, and returns whether another step of the maximum length fits.
    mutating func fitsAnotherStep() -> Bool {
        let now = clock.now()
        longest = max(longest, now - last)
        last = now
        return now + longest <= end
    }
}
