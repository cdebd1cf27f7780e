import Telemetry

/// What one worker's accesses counted and took.
///
/// The worker writes and the sampler reads, a few nanoseconds each under a lock that is free
/// nearly always: histograms are handed over by exchanging them for cleared ones.
///
/// An access is either a `skip`, or a `begin` and a `finish`. After ``seal()`` neither counts any
/// more: what was begun and has not finished is *unfinished*, and so is what was left.
final class WorkerRecorder: Sendable {
    /// How an access ended.
    enum Outcome {
        /// Well, with its latencies in nanoseconds; nil where they mean nothing.
        case completed(Latencies?)
        /// With an interrupt.
        case interrupted
        /// With an error, by the name of its code.
        case failed(String)
    }

    /// The latencies of a completed access, in nanoseconds.
    struct Latencies {
        /// From the intended start to the end.
        var response: UInt64
        /// From the start to the entry into the closure.
        var wait: UInt64
        /// From the entry to the end.
        var service: UInt64
    }

    /// The latencies of a stretch of time, by operation.
    struct Window: Sendable {
        /// Those of measured accesses.
        var measured: [AccessHistograms]
        /// Those of all others, in warm-ups.
        var unmeasured: [AccessHistograms]
        /// The lag of accesses whose worker was free and only had to wake up.
        var freeLag = LatencyHistogram()

        /// Creates an empty window.
        init(operations: Int) {
            measured = Array(repeating: AccessHistograms(), count: operations)
            unmeasured = measured
        }

        /// Forgets all counts, keeping the memory.
        mutating func clear() {
            for index in measured.indices { measured[index].clear() }
            for index in unmeasured.indices { unmeasured[index].clear() }
            freeLag.clear()
        }
    }

    private struct State: Sendable {
        var counts: [AccessCounts]
        var window: Window
        /// All completed accesses, measured or not: what throughput is shown from.
        var completed: UInt64 = 0
        /// All begun accesses, measured or not.
        var begun: UInt64 = 0
        /// Measured arrivals that were due and whose turn never came.
        var left: UInt64 = 0
        /// Whether an access runs that counts, and its operation.
        var running: Int?
        var isSealed = false
    }

    private let state: Lock<State>

    /// Creates a recorder for a client with so many operations.
    init(operations: Int) {
        state = Lock(
            State(
                counts: Array(repeating: AccessCounts(), count: operations),
                window: Window(operations: operations)
            )
        )
    }

    /// Counts an arrival that was due and whose turn never came: it is offered, and unfinished.
    func leave() {
        state.withLock { $0.left += 1 }
    }

    /// Counts an access that was too late for its turn.
    func skip(_ operation: Int, isMeasured: Bool) {
        state.withLock { state in
            guard !state.isSealed else { return }
            guard isMeasured else { return }
            state.counts[operation].offered += 1
            state.counts[operation].skipped += 1
        }
    }

    /// Counts an access that starts.
    ///
    /// - Parameters:
    ///   - operation: The index of its operation.
    ///   - lag: How late it starts, in nanoseconds; nil where there is no schedule.
    ///   - wasFree: Whether its worker had been waiting for it.
    ///   - isMeasured: Whether its intended start lies in a measured phase.
    /// - Returns: False when the run is over, and the access must not start.
    func begin(_ operation: Int, lag: UInt64?, wasFree: Bool, isMeasured: Bool) -> Bool {
        state.withLock { state in
            guard !state.isSealed else { return false }
            state.begun &+= 1
            guard isMeasured else {
                state.running = nil
                return true
            }
            state.running = operation
            state.counts[operation].offered += 1
            state.counts[operation].started += 1
            if let lag {
                state.window.measured[operation].lag.count(lag)
                if wasFree { state.window.freeLag.count(lag) }
                if lag > 1_000_000 { state.counts[operation].late += 1 }
            }
            return true
        }
    }

    /// Counts another try of the running access.
    func retry(_ operation: Int) {
        state.withLock { state in
            guard !state.isSealed, state.running != nil else { return }
            state.counts[operation].retried += 1
        }
    }

    /// Counts the end of the running access.
    func finish(_ operation: Int, _ outcome: Outcome) {
        state.withLock { state in
            guard !state.isSealed else { return }
            let isMeasured = state.running != nil
            state.running = nil
            switch outcome {
            case .completed(let latencies):
                state.completed &+= 1
                if isMeasured { state.counts[operation].completed += 1 }
                guard let latencies else { return }
                if isMeasured {
                    state.window.measured[operation].count(latencies)
                } else {
                    state.window.unmeasured[operation].count(latencies)
                }
            case .interrupted:
                if isMeasured { state.counts[operation].interrupted += 1 }
            case .failed(let code):
                if isMeasured { state.counts[operation].errors[code, default: 0] += 1 }
            }
        }
    }

    /// Ends the counting: what runs now stays unfinished.
    func seal() {
        state.withLock { $0.isSealed = true }
    }

    /// What the worker did so far.
    struct Reading: Sendable {
        /// The counts of each operation; the running access is offered, and not yet anything else.
        var counts: [AccessCounts]
        /// All completed accesses, measured or not.
        var completed: UInt64
        /// All begun accesses, measured or not.
        var begun: UInt64
        /// Measured arrivals that were due and whose turn never came.
        var left: UInt64
        /// The operation of the measured access that runs.
        var running: Int?
    }

    /// What the worker did so far.
    func read() -> Reading {
        state.withLock { state in
            Reading(
                counts: state.counts,
                completed: state.completed,
                begun: state.begun,
                left: state.left,
                running: state.running
            )
        }
    }

    /// Exchanges the filled window for a cleared one.
    func exchange(_ window: inout Window) {
        state.withLock { swap(&$0.window, &window) }
    }
}

extension AccessHistograms {
    /// Counts the latencies of one completed access.
    @inline(__always)
    fileprivate mutating func count(_ latencies: WorkerRecorder.Latencies) {
        response.count(latencies.response)
        wait.count(latencies.wait)
        service.count(latencies.service)
    }
}
