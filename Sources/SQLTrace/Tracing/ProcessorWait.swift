import SQLiteWatch

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
