/// The share of its time that a thread loses to probes.
///
/// The time that a thread waits for a processor is not its own: on a busy machine, a thread that
/// runs for a tenth of the time loses ten times the share that the clock shows.
struct LostShares {
    /// Returns how long a thread has waited for a processor since its start, in nanoseconds; nil
    /// where the system does not count it.
    private let delay: (Int32) -> UInt64?
    /// The delays of threads at the end of the last interval.
    private var delays: [Int32: UInt64] = [:]

    /// The threads that are examined: those that lost most.
    private static let threadLimit = 8
    /// The least share of an interval that a thread is taken to have had.
    private static let leastOwnShare = 0.02

    init(delay: @escaping (Int32) -> UInt64?) { self.delay = delay }

    /// The largest share of an interval.
    ///
    /// - Parameters:
    ///   - lost: Nanoseconds that threads lost in the interval.
    ///   - elapsed: The length of the interval, in nanoseconds.
    /// - Returns: A share from 0 to 1.
    mutating func largest(of lost: [Int32: Double], in elapsed: UInt64) -> Double {
        let length = Double(max(1, elapsed))
        let busiest = lost.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
            .prefix(Self.threadLimit)
        var largest = 0.0
        var known: [Int32: UInt64] = [:]
        for (thread, nanoseconds) in busiest {
            var own = length
            if let now = delay(thread) {
                known[thread] = now
                // A thread that was not examined before has no known beginning.
                if let before = delays[thread], now >= before { own -= Double(now - before) }
            }
            own = max(own, nanoseconds, length * Self.leastOwnShare)
            largest = max(largest, nanoseconds / own)
        }
        delays = known
        return largest
    }

    /// Begins an interval after a pause, in which nothing was lost.
    mutating func restart() {
        for thread in delays.keys { delays[thread] = delay(thread) }
    }
}

#if os(Linux)
import SQLiteWatch

extension LostShares {
    /// Reads the delays from `/proc` (Documentation/scheduler/sched-stats.rst): the second number
    /// is the time that the thread was runnable and did not run.
    init() {
        self.init { thread in
            let text = ProcFile.text("/proc/\(thread)/schedstat", limit: 128) ?? ""
            let numbers = text.split(whereSeparator: { $0 == " " || $0 == "\n" })
            return numbers.count > 1 ? UInt64(numbers[1]) : nil
        }
    }
}
#endif
