/// A type that calculates the share of a thread's time that is lost to probes.
///
/// The share refers to the time during which the thread runs, because a probe delays what the
/// thread does then. For a thread that loses little of the elapsed time, such as one that executes
/// a statement now and then, it refers to the elapsed time.
struct LostShares {
    /// What a thread loses while it has probes.
    struct Loss: Equatable {
        /// The share of its time, from 0 to 1.
        var share = 0.0
        /// By which part its work takes longer, in relation to the work of the whole time.
        ///
        /// Work that takes *r* seconds takes *r*/(1−*s*) with probes, if *s* is the share. In a
        /// thread that rests between its work, the work does not become rarer to the same degree,
        /// so the same share of time costs more of it than in a thread that always runs.
        var slowdown = 0.0

        init() {}

        /// Creates a loss.
        ///
        /// - Parameters:
        ///   - share: The share of the time in which the thread runs that it loses.
        ///   - running: The share of the elapsed time in which it runs.
        init(share: Double, running: Double) {
            self.share = share
            // The loss is an estimate, and never everything.
            let lost = min(share, 0.9)
            slowdown = lost * (1 - min(1, running) * lost) / (1 - lost)
        }
    }

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

    /// Calculates the largest loss of any thread in an interval.
    ///
    /// - Parameters:
    ///   - lost: The time that each thread lost in the interval, in nanoseconds.
    ///   - elapsed: The length of the interval, in nanoseconds.
    ///   - limit: The limit of the share.
    /// - Returns: The loss.
    mutating func largest(
        of lost: [Int32: Double],
        in elapsed: UInt64,
        limit: Double
    ) -> Loss {
        let length = Double(max(1, elapsed))
        let candidates = lost.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
            .prefix(Self.threadLimit)
        var largest = Loss()
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
            let share = min(1, nanoseconds / max(time, nanoseconds, 1))
            let loss = Loss(share: share, running: time / length)
            if loss.slowdown > largest.slowdown { largest = loss }
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
