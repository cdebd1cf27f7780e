import SQLiteWatch

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

/// A type that measures how long the threads of processes run and how long they wait for a
/// processor.
package struct ProcessorWait {
    /// The times of a thread since its start, in nanoseconds.
    struct Times: Equatable {
        var running: UInt64 = 0
        var waiting: UInt64 = 0
    }

    private var first: [Int32: Times] = [:]
    private var last: [Int32: Times] = [:]
    package private(set) var known: Set<Int32> = []
    private let times: (Int32) -> [Int32: Times]

    /// Creates a measurement.
    ///
    /// - Parameter times: A closure that returns the times of each thread of a process.
    init(times: @escaping (Int32) -> [Int32: Times]) { self.times = times }

    /// Creates a measurement that reads `/proc`.
    ///
    /// On systems without `/proc`, the measurement is empty.
    package init() { self.init(times: Self.times(of:)) }

    /// Reads the times of a process.
    ///
    /// The first call for a process starts its measurement.
    package mutating func read(_ process: Int32) {
        let isNew = known.insert(process).inserted
        for (thread, times) in times(process) {
            // A thread that appears later started after the first read, so its times start at zero.
            if first[thread] == nil { first[thread] = isNew ? times : Times() }
            last[thread] = times
        }
    }

    /// The total time that the threads ran and waited since the first read, in nanoseconds.
    package var total: (running: Double, waiting: Double) {
        var total = (running: 0.0, waiting: 0.0)
        for (thread, end) in last {
            guard let start = first[thread] else { continue }
            total.running += max(0, Double(end.running) - Double(start.running))
            total.waiting += max(0, Double(end.waiting) - Double(start.waiting))
        }
        return total
    }

    private static func times(of process: Int32) -> [Int32: Times] {
        #if os(Linux)
        var found: [Int32: Times] = [:]
        for name in ProcFile.names(in: "/proc/\(process)/task") ?? [] {
            guard let thread = Int32(name) else { continue }
            found[thread] = times(ofThread: thread)
        }
        return found
        #else
        return [:]
        #endif
    }

    #if os(Linux)
    /// Reads the times of a thread from `/proc` (Documentation/scheduler/sched-stats.rst).
    ///
    /// The first number is the time that the thread ran. The second is the time that the thread was
    /// runnable but did not run.
    static func times(ofThread thread: Int32) -> Times? {
        let text = ProcFile.text("/proc/\(thread)/schedstat", limit: 128) ?? ""
        let numbers = text.split(whereSeparator: { $0 == " " || $0 == "\n" }).map { UInt64($0) }
        guard numbers.count > 1, let running = numbers[0], let waiting = numbers[1] else {
            return nil
        }
        return Times(running: running, waiting: waiting)
    }
    #endif
}

/// A limiter that removes the probes of a process for a while when it loses too much of its time to
/// them.
///
/// The limiter considers only the thread with the highest cost, because a probe slows down only the
/// thread that reaches it.
struct CostLimiter {
    /// By which part a thread's work may take longer, on average, such as 0.05.
    let limit: Double
    private var intervalStart: UInt64
    private var pauseEnd: UInt64?
    /// What the thread with the highest cost lost during tracing in the last interval.
    private(set) var lost = LostShares.Loss()
    /// The length of a pause that compensates for the time lost by threads, in nanoseconds.
    private var debt: Double = 0
    /// By how many times a pause compensates for the window before it.
    ///
    /// The first pause also compensates for the next window, so that each trace that contains it is
    /// below the limit.
    private var repayments = 2.0

    /// The length of an interval between two decisions, in nanoseconds.
    static let interval: UInt64 = 200_000_000
    /// The minimum length of a pause, in nanoseconds.
    ///
    /// Removing the probes of a process takes 0.2 s.
    static let shortestPause: UInt64 = 1_000_000_000
    /// The maximum length of a pause, in nanoseconds.
    ///
    /// A thread that loses 90 percent of its time, and rests otherwise, pauses this long at a limit
    /// of 5 percent.
    static let longestPause: UInt64 = 60_000_000_000

    init(limit: Double, at now: UInt64) {
        self.limit = limit
        intervalStart = now
    }

    var isPaused: Bool { pauseEnd != nil }

    /// Decides whether to pause or resume tracing at the end of an interval or pause.
    ///
    /// - Parameters:
    ///   - now: The time on the monotonic clock, in nanoseconds.
    ///   - loss: A closure that returns what the thread with the highest cost lost in the given
    ///     number of nanoseconds since the last call. An argument of 0 restarts the count.
    /// - Returns: `true` to pause, `false` to resume, or `nil` for no change.
    mutating func decision(at now: UInt64, loss: (UInt64) -> LostShares.Loss) -> Bool? {
        if let end = pauseEnd {
            guard now >= end else { return nil }
            pauseEnd = nil
            repayments = 1
            intervalStart = now
            _ = loss(0)
            return false
        }
        let elapsed = now - min(intervalStart, now)
        guard elapsed >= Self.interval else { return nil }
        lost = loss(elapsed)
        intervalStart = now
        guard limit > 0 else { return nil }
        debt = max(0, debt + Double(elapsed) * (lost.slowdown / limit - 1))
        guard debt >= Double(Self.shortestPause) else { return nil }
        pauseEnd = now + UInt64(min(debt * repayments, Double(Self.longestPause)))
        debt = 0
        return true
    }

    /// Extends a pause because the probes were removed later than it started.
    mutating func extendPause(by delay: UInt64) {
        guard let end = pauseEnd, limit > 0 else { return }
        let length = Double(delay) * lost.slowdown / limit * repayments
        pauseEnd = end + UInt64(min(length, Double(Self.longestPause)))
    }
}
