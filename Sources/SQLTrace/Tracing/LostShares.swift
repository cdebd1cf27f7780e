/// A type that calculates the share of a thread's time that is lost to probes.
///
/// The share refers to the time during which a thread can run, excluding its waits for a processor.
/// For example, if a thread on a busy machine runs for only a tenth of the elapsed time, this share
/// is ten times the share of the elapsed time.
struct LostShares {
    /// A closure that returns the time that a thread has waited for a processor since its start, in
    /// nanoseconds, or `nil` if the system does not measure this time.
    private let delay: (Int32) -> UInt64?
    /// The delays of threads at the end of the last interval.
    private var delays: [Int32: UInt64] = [:]
    /// The thread that lost the largest share of the last interval.
    private(set) var busiest: Int32?

    /// The maximum number of threads to examine, starting with the threads that lost the most time.
    private static let threadLimit = 8
    /// The assumed minimum share of an interval during which a thread can run.
    private static let minimumRunnableShare = 0.02

    init(delay: @escaping (Int32) -> UInt64?) { self.delay = delay }

    /// Calculates the largest share of an interval that any thread lost.
    ///
    /// - Parameters:
    ///   - lost: The time that each thread lost in the interval, in nanoseconds.
    ///   - elapsed: The length of the interval, in nanoseconds.
    /// - Returns: The share, from 0 to 1.
    mutating func largest(of lost: [Int32: Double], in elapsed: UInt64) -> Double {
        let length = Double(max(1, elapsed))
        let candidates = lost.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
            .prefix(Self.threadLimit)
        var largest = 0.0
        busiest = nil
        var known: [Int32: UInt64] = [:]
        for (thread, nanoseconds) in candidates {
            var runnable = length
            if let now = delay(thread) {
                known[thread] = now
                // For a thread that was not examined before, the delay at the start of the interval
                // is unknown.
                if let before = delays[thread], now >= before { runnable -= Double(now - before) }
            }
            runnable = max(runnable, nanoseconds, length * Self.minimumRunnableShare)
            if nanoseconds / runnable > largest {
                largest = nanoseconds / runnable
                busiest = thread
            }
        }
        delays = known
        return largest
    }

    /// Starts a new interval after a pause, during which no time was lost.
    mutating func restart() {
        for thread in delays.keys { delays[thread] = delay(thread) }
    }
}

#if os(Linux)
extension LostShares {
    /// Reads the delays from `/proc`.
    init() { self.init { ProcessorWait.times(ofThread: $0)?.waiting } }
}
#endif
