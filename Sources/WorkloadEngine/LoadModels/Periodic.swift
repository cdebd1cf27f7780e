/// A worker that does its access again and again, one period after another, first after one period.
///
/// The times are fixed in advance: an access that takes longer than a period delays the next one,
/// which then lags.
struct Periodic: LoadModel {
    /// The time between two accesses, in nanoseconds.
    let period: UInt64
    /// When the load ends, in load time.
    let end: UInt64
    private let windows: ActiveWindows
    private var last: UInt64

    let isScheduled = true

    /// Creates a load of accesses at `start + period`, `start + 2 × period` and so on, before `end`.
    ///
    /// Those that lie outside of `windows` are left out.
    init(
        every period: UInt64,
        from start: UInt64,
        until end: UInt64,
        windows: ActiveWindows = .always
    ) {
        self.windows = windows
        self.period = max(1, period)
        self.end = end
        last = start
    }

    mutating func next(freeAt now: UInt64) -> UInt64? {
        repeat {
            last &+= period
            guard last < end else { return nil }
        } while !windows.contains(last)
        return last
    }
}
