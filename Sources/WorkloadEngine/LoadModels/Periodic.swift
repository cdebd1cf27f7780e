/// A load model with an access at the end of every period.
///
/// The times are fixed in advance. If an access takes longer than a period, the next access starts
/// late.
struct Periodic: LoadModel {
    /// The time between two accesses, in nanoseconds.
    let period: UInt64
    /// The end of the load, in load time.
    let end: UInt64
    private let windows: ActiveWindows
    /// The load time of the last access.
    private var last: UInt64

    let isScheduled = true

    /// Creates a model with accesses inside `windows` at `start + period`, `start + 2 × period`,
    /// and so on, before `end`.
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
