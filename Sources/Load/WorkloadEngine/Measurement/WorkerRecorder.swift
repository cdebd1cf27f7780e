import Synchronization
import Telemetry

/// An object that records the counts and times of a worker's accesses.
///
/// The worker and the sampler share a lock, and hold it for only a few nanoseconds. The sampler
/// exchanges filled histograms for cleared ones.
///
/// Record an access with `skip`, or with `begin` and `finish`. After ``seal(at:)``, these methods
/// have no effect. Accesses that began but did not finish are *unfinished*, as are due arrivals
/// that no worker started.
final class WorkerRecorder: Sendable {
    enum Outcome {
        case completed
        case interrupted
        case failed(String)
    }

    /// The clock times of an access, in nanoseconds.
    struct Timestamps: Sendable {
        /// The intended start, or the actual start if there is no schedule.
        var intended: UInt64
        var start: UInt64
        /// The start of the closure.
        var entry: UInt64
        var end: UInt64
        /// The thread's processor time from entry to end, in nanoseconds, or `nil` if not
        /// measured.
        var processorTime: UInt64?
    }

    private struct State: Sendable {
        var counts: [AccessCounts]
        var window: Window
        var completed: UInt64 = 0
        var begun: UInt64 = 0
        var unstarted: [UInt64]
        /// The ages of the measured accesses that did not end, or `nil` if all ended.
        var unfinished: LatencyHistogram?
        var running: Int?
        var isMeasured = false
        /// The lag of the running access, in nanoseconds.
        var lag: UInt64 = 0
        /// The clock time at which the running access started, or `nil` if its wait is unknown.
        var startedAt: UInt64?
        /// The longest wait of a measured access, in nanoseconds, or `nil` if there were no
        /// waits.
        var longestWait: UInt64?
        var isSealed = false

        mutating func countUnfinished(age: UInt64) {
            if unfinished == nil { unfinished = LatencyHistogram() }
            unfinished?.count(age)
        }

        @inline(__always)
        mutating func count(wait: UInt64) {
            if isMeasured { longestWait = max(longestWait ?? 0, wait) }
        }
    }

    private let operationCount: Int
    private let state: Lock<State>
    /// The clock time at which the running access entered its closure, or 0 if no access is inside
    /// its closure.
    ///
    /// The worker clears this time under the lock, and the sampler reads the time under the same
    /// lock. The sampler therefore finds each hold either here or in a window, but not in both.
    private let heldSince = Atomic<UInt64>(0)

    init(operations: Int, phases: Int = 1) {
        operationCount = operations
        // Add one phase for accesses outside all phases.
        let cells = operations * (phases + 1)
        state = Lock(
            State(
                counts: Array(repeating: AccessCounts(), count: cells),
                window: Window(cells: cells),
                unstarted: Array(repeating: 0, count: phases + 1)
            )
        )
    }

    @inline(__always)
    private func cell(_ operation: Int, phase: PhasePlan.Place) -> Int {
        phase.index &* operationCount &+ operation
    }

    /// Counts an arrival that no worker started.
    ///
    /// - Parameters:
    ///   - phase: The phase of the arrival.
    ///   - age: The time since the arrival, in nanoseconds.
    func countUnstarted(in phase: PhasePlan.Place, age: UInt64) {
        state.withLock { state in
            state.unstarted[phase.index] += 1
            if phase.isMeasured { state.countUnfinished(age: age) }
        }
    }

    func skip(_ operation: Int, in phase: PhasePlan.Place) {
        state.withLock { state in
            guard !state.isSealed else { return }
            let cell = cell(operation, phase: phase)
            state.counts[cell].offered += 1
            state.counts[cell].skipped += 1
        }
    }

    /// Counts the start of an access.
    ///
    /// - Parameters:
    ///   - operation: The index of the operation.
    ///   - phase: The phase of the access.
    ///   - lag: The lag, in nanoseconds, or `nil` if there is no schedule.
    ///   - wasFree: Whether the worker was free before the intended start.
    ///   - start: The start, or `nil` if the wait is unknown while the access runs.
    /// - Returns: Whether the access may start, which is `false` after ``seal(at:)``.
    func begin(
        _ operation: Int,
        in phase: PhasePlan.Place,
        lag: UInt64?,
        wasFree: Bool,
        at start: UInt64? = nil
    ) -> Bool {
        state.withLock { state in
            guard !state.isSealed else { return false }
            let cell = cell(operation, phase: phase)
            state.begun &+= 1
            state.running = cell
            state.isMeasured = phase.isMeasured
            state.startedAt = start
            state.lag = lag ?? 0
            state.counts[cell].offered &+= 1
            state.counts[cell].started &+= 1
            if let lag {
                state.window.count(lag: lag, at: cell)
                if wasFree, phase.isMeasured { state.window.freeLag.count(lag) }
                if lag > 1_000_000 { state.counts[cell].late &+= 1 }
            }
            return true
        }
    }

    @inline(__always)
    func enter(at now: UInt64) {
        heldSince.store(now, ordering: .relaxed)
    }

    /// The clock time at which the running access entered its closure, or `nil` if no access is
    /// inside its closure.
    var runningSince: UInt64? {
        let since = heldSince.load(ordering: .relaxed)
        return since == 0 ? nil : since
    }

    /// Counts a retry of the running access, and calls `onCount` if the retry is counted.
    func retry(onCount: () -> Void = {}) {
        state.withLock { state in
            heldSince.store(0, ordering: .relaxed)
            guard !state.isSealed, let cell = state.running else { return }
            state.counts[cell].retried += 1
            onCount()
        }
    }

    /// Counts the end of the running access.
    ///
    /// The timestamps are `nil` if the access is not timed or did not enter its closure. In the latter
    /// case, `waited` is the length of the wait, in nanoseconds. If this method counts a failure,
    /// it calls `onCount` before the recording can end.
    func finish(
        _ outcome: Outcome,
        timestamps: Timestamps?,
        waited: UInt64? = nil,
        onCount: () -> Void = {}
    ) {
        state.withLock { state in
            heldSince.store(0, ordering: .relaxed)
            guard !state.isSealed, let cell = state.running else { return }
            state.running = nil
            if let timestamps {
                state.window.holds.add(from: timestamps.entry, until: timestamps.end)
                state.count(wait: timestamps.entry &- min(timestamps.entry, timestamps.start))
            } else if let waited {
                state.count(wait: waited)
            }
            switch outcome {
            case .completed:
                state.completed &+= 1
                state.counts[cell].completed &+= 1
                guard let timestamps else { return }
                state.window.count(timestamps, at: cell)
                if state.isMeasured { state.window.slow.offer(timestamps, cell: cell) }
            case .interrupted:
                state.counts[cell].interrupted += 1
            case .failed(let code):
                state.counts[cell].errors[code, default: 0] += 1
                onCount()
            }
        }
    }

    /// Ends the recording, leaving a running access unfinished.
    func seal(at now: UInt64) {
        state.withLock { state in
            if let wait = currentWait(state, at: now) { state.count(wait: wait) }
            if !state.isSealed, state.running != nil, state.isMeasured,
                let start = state.startedAt
            {
                let intended = start &- min(start, state.lag)
                state.countUnfinished(age: now &- min(now, intended))
            }
            state.isSealed = true
        }
    }

    /// Returns the current wait of the running access, in nanoseconds, or `nil` if no access
    /// waits.
    private func currentWait(_ state: State, at now: UInt64) -> UInt64? {
        guard !state.isSealed, state.running != nil, state.isMeasured,
            let start = state.startedAt, heldSince.load(ordering: .relaxed) == 0
        else { return nil }
        return now &- min(now, start)
    }

    /// Returns the longest wait of a measured access, in nanoseconds, including the current wait.
    func longestWait(at now: UInt64) -> UInt64? {
        state.withLock { state in
            guard let wait = currentWait(state, at: now) else { return state.longestWait }
            return max(wait, state.longestWait ?? 0)
        }
    }

    /// A worker's current counts.
    ///
    /// A *cell* is the index `phase × operations + operation`. Cells after the last phase do not
    /// appear in results.
    struct Reading: Sendable {
        /// The counts of each cell, in which the running access counts only as offered and started.
        var counts: [AccessCounts]
        /// The number of completed accesses, including accesses that are not measured.
        var completed: UInt64
        /// The number of started accesses, including accesses that are not measured.
        var begun: UInt64
        /// The number of due arrivals that no worker started, indexed by phase.
        var unstarted: [UInt64]
        /// The cell of the running access, if any.
        var running: Int?
        /// The ages of the measured accesses that did not end, or `nil` if there are none.
        var unfinished: LatencyHistogram?
    }

    func read() -> Reading {
        state.withLock { state in
            Reading(
                counts: state.counts,
                completed: state.completed,
                begun: state.begun,
                unstarted: state.unstarted,
                running: state.running,
                unfinished: state.unfinished
            )
        }
    }

    /// Exchanges the filled window for a cleared one.
    ///
    /// - Returns: The clock time at which the running access entered its closure, or `nil` if no
    ///   access is inside its closure.
    func exchange(_ window: inout Window) -> UInt64? {
        let since = state.withLock { state in
            swap(&state.window, &window)
            return heldSince.load(ordering: .relaxed)
        }
        return since == 0 ? nil : since
    }

    func makeWindow() -> Window {
        Window(cells: state.withLock { $0.counts.count })
    }
}

/// The response times of a client's measured accesses.
package struct ResponseTimes: Sendable {
    /// The response times of completed accesses, from the intended start to the end.
    package var completed = LatencyHistogram()
    /// The ages at the end of the run of the accesses that were queued or running.
    ///
    /// The response time of such an access is at least its age.
    package var unfinished = LatencyHistogram()

    package init(completed: LatencyHistogram = LatencyHistogram()) { self.completed = completed }
}

/// The latencies and processor times of accesses.
struct AccessHistograms: Sendable {
    /// The response times of completed accesses, from the intended start to the end.
    var response = LatencyHistogram()
    /// The wait times of completed accesses, from the start to the entry into the closure.
    var wait = LatencyHistogram()
    /// The service times of completed accesses, from the entry into the closure to the end.
    var service = LatencyHistogram()
    /// The delays of scheduled accesses, from the intended start to the actual start.
    var lag = LatencyHistogram()

    /// The processor times of sampled accesses, from the entry into the closure to the end.
    var processor = ProcessorTally()

    mutating func add(_ other: AccessHistograms) {
        addEnded(other)
        lag.add(other.lag)
    }

    /// Adds the times of ended accesses from other histograms, which excludes lags.
    mutating func addEnded(_ other: AccessHistograms) {
        response.add(other.response)
        wait.add(other.wait)
        service.add(other.service)
        processor.add(other.processor)
    }

    func add(to latencies: inout OperationLatencies) {
        response.add(to: &latencies.response)
        wait.add(to: &latencies.wait)
        service.add(to: &latencies.service)
    }

    mutating func clear() {
        response.clear()
        wait.clear()
        service.clear()
        lag.clear()
        processor = ProcessorTally()
    }
}

/// The processor times of sampled accesses.
///
/// Each measurement requires a system call that takes a few hundred nanoseconds, so a worker
/// measures at most one access per ``interval``.
struct ProcessorTally: Sendable {
    /// The time between a worker's measured accesses, in nanoseconds.
    static let interval: UInt64 = 2_000_000

    private(set) var count: UInt64 = 0
    private var sum: UInt64 = 0

    /// The mean processor time, in nanoseconds, or `nil` if no access was measured.
    var mean: UInt64? { count > 0 ? (sum + count / 2) / count : nil }

    mutating func count(_ nanoseconds: UInt64) {
        count += 1
        sum &+= nanoseconds
    }

    mutating func add(_ other: ProcessorTally) {
        count += other.count
        sum &+= other.sum
    }
}

extension WorkerRecorder {
    /// The measurements since the previous exchange of windows.
    struct Window: Sendable {
        /// The latencies of each cell, or `nil` for a cell without latencies.
        ///
        /// Histograms are allocated on demand, because within a second, most operations occur in
        /// only one phase.
        private(set) var histograms: [AccessHistograms?]
        /// The lag of measured accesses that had a free worker.
        var freeLag = LatencyHistogram()
        var holds = HoldLog()
        var slow = SlowAccesses()

        init(cells: Int) {
            histograms = Array(repeating: nil, count: cells)
        }

        @inline(__always)
        mutating func count(_ timestamps: Timestamps, at cell: Int) {
            if histograms[cell] == nil { histograms[cell] = AccessHistograms() }
            histograms[cell]?.count(timestamps)
        }

        @inline(__always)
        mutating func count(lag: UInt64, at cell: Int) {
            if histograms[cell] == nil { histograms[cell] = AccessHistograms() }
            histograms[cell]?.lag.count(lag)
        }

        mutating func clear() {
            for index in histograms.indices { histograms[index]?.clear() }
            freeLag.clear()
            holds.clear()
            slow.clear()
        }
    }
}

extension AccessHistograms {
    @inline(__always)
    fileprivate mutating func count(_ timestamps: WorkerRecorder.Timestamps) {
        response.count(timestamps.end &- min(timestamps.end, timestamps.intended))
        wait.count(timestamps.entry &- min(timestamps.entry, timestamps.start))
        service.count(timestamps.end &- min(timestamps.end, timestamps.entry))
        if let time = timestamps.processorTime { processor.count(time) }
    }
}

extension ClientResult {
    init(_ counts: AccessCounts, _ histograms: AccessHistograms, seconds: Double) {
        self.init(
            offered: counts.offered,
            started: counts.started,
            completed: counts.completed,
            skipped: counts.skipped,
            late: counts.late,
            retried: counts.retried,
            interrupted: counts.interrupted,
            unfinished: counts.unfinished,
            errors: counts.errors,
            throughput: seconds > 0
                ? (Double(counts.completed) / seconds).rounded(toDigits: 2) : nil,
            response: histograms.response.summary,
            wait: histograms.wait.summary,
            service: histograms.service.summary,
            lag: histograms.lag.summary
        )
        processorMean = histograms.processor.mean
    }
}

extension LatencySpectra {
    init?(_ histograms: AccessHistograms) {
        guard histograms.response.count > 0 else { return nil }
        self.init(
            response: histograms.response.spectrum,
            wait: histograms.wait.spectrum,
            service: histograms.service.spectrum
        )
    }
}
