/// The period over which a report's rates are calculated.
///
/// The period excludes gaps during which events are missing. Times are in nanoseconds.
struct RatePeriod {
    private var start: UInt64
    private var missingTime: UInt64 = 0

    /// The minimum traced time from which to calculate a rate, in nanoseconds.
    static let minimumTracedTime: UInt64 = 100_000_000

    init(start: UInt64) { self.start = start }

    /// Excludes a gap that has ended.
    mutating func exclude(_ gap: ClosedRange<UInt64>) {
        let begin = max(start, gap.lowerBound)
        missingTime += max(begin, gap.upperBound) - begin
    }

    /// Ends the period and starts the next one.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - gapStart: The start of the current gap, or `nil` if events are currently being
    ///     recorded.
    /// - Returns: The traced time in seconds, or `nil` if gaps leave too little time for a rate. In
    ///   that case, the period continues.
    mutating func end(at now: UInt64, gapStart: UInt64?) -> Double? {
        let current = gapStart.map { now - min(now, max($0, start)) } ?? 0
        let all = now - min(now, start)
        let traced = all - min(all, missingTime + current)
        guard traced == all || traced >= Self.minimumTracedTime else { return nil }
        start = now
        missingTime = 0
        return Double(traced) / 1e9
    }
}
