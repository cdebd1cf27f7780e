/// A type that calculates the share of a thread's time that is lost to probes.
///
/// The share refers to the time during which the thread runs, because a probe delays what the
/// thread does then. For a thread that loses little of the elapsed time, such as one that executes
/// a statement now and then, it refers to the elapsed time.
struct LostShares {
    /// A closure that returns the time that a thread has run since its start, in nanoseconds, or
    /// `nil` if the system does not measure this time.
    private let running: (Int32) -> UInt64?
    /// The running times of threads at the end of the last interval.
    private var earlier: [Int32: UInt64] = [:]

    /// The maximum number of threads to examine, starting with the threads that lost the most time.
    private static let threadLimit = 8
    /// The part of the limit below which a share of the elapsed time is small.
    private static let smallPart = 0.2

    init(running: @escaping (Int32) -> UInt64?) { self.running = running }

    /// Calculates the largest share of an interval that any thread lost.
    ///
    /// - Parameters:
    ///   - lost: The time that each thread lost in the interval, in nanoseconds.
    ///   - elapsed: The length of the interval, in nanoseconds.
    ///   - limit: The limit of the share.
    /// - Returns: The share, from 0 to 1.
    mutating func largest(
        of lost: [Int32: Double],
        in elapsed: UInt64,
        limit: Double
    ) -> Double {
        let length = Double(max(1, elapsed))
        let candidates = lost.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
            .prefix(Self.threadLimit)
        var largest = 0.0
        var known: [Int32: UInt64] = [:]
        for (thread, nanoseconds) in candidates {
            var time = length
            if let now = running(thread) {
                known[thread] = now
                // For a thread that was not examined before, the time at the start of the interval
                // is unknown.
                if let before = earlier[thread], now >= before,
                    nanoseconds > limit * Self.smallPart * length
                {
                    time = min(length, Double(now - before))
                }
            }
            largest = max(largest, min(1, nanoseconds / max(time, nanoseconds, 1)))
        }
        earlier = known
        return largest
    }

    /// Starts a new interval after a pause, during which no time was lost.
    mutating func restart() {
        for thread in earlier.keys { earlier[thread] = running(thread) }
    }
}

#if os(Linux)
extension LostShares {
    /// Reads the times from `/proc`.
    init() { self.init { ProcessorWait.times(ofThread: $0)?.running } }
}
#endif
