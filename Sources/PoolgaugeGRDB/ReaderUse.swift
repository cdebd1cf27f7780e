#if GRDB
/// Statistics about the use of a pool's readers over time.
///
/// Times are in nanoseconds.
struct ReaderUse: Sendable, Equatable {
    /// The maximum number of readers.
    var maximum: Int
    private(set) var inUse = 0
    private(set) var peak = 0
    /// The number of accesses that are known to be waiting for a reader.
    private(set) var waitingCount = 0
    /// The total time that readers were held.
    private(set) var busyTime: UInt64 = 0
    /// The total time that all readers were in use while an access waited.
    private(set) var saturatedTime: UInt64 = 0
    private var changedAt: UInt64 = 0

    init(maximum: Int) { self.maximum = maximum }

    /// Adds the time since the last change to the totals.
    mutating func advance(to now: UInt64) {
        guard now > changedAt else { return }
        let time = now - changedAt
        changedAt = now
        busyTime += time * UInt64(inUse)
        if inUse >= maximum, waitingCount > 0 { saturatedTime += time }
    }

    mutating func restartPeak() { peak = inUse }

    mutating func beginHold(at now: UInt64) {
        advance(to: now)
        inUse += 1
        peak = max(peak, inUse)
    }

    mutating func endHold(at now: UInt64) {
        advance(to: now)
        inUse = max(0, inUse - 1)
    }

    mutating func beginWait(at now: UInt64) {
        advance(to: now)
        waitingCount += 1
    }

    mutating func endWait(at now: UInt64) {
        advance(to: now)
        waitingCount = max(0, waitingCount - 1)
    }
}
#endif
