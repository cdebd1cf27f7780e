import Synchronization
import Telemetry

/// Records the counts and times of a worker's accesses.
///
/// The worker writes and the sampler reads, each for a few nanoseconds under a lock with little
/// contention. The sampler exchanges filled histograms for cleared ones.
///
/// An access is recorded either by `skip` or by `begin` and `finish`. After ``seal(at:)``, these
/// methods have no effect. Accesses that have begun but not finished are *unfinished*, as are due
/// arrivals that no worker has started.
final class WorkerRecorder: Sendable {
    /// The outcome of an access.
    enum Outcome {
        /// The access succeeded.
        case completed
        /// An interrupt ended the access.
        case interrupted
        /// The access failed with the named error code.
        case failed(String)
    }

    /// The times of an access, in nanoseconds of clock time.
    struct Stamps: Sendable {
        /// The intended start, or the actual start if there is no schedule.
        var intended: UInt64
        /// The start.
        var start: UInt64
        /// The entry into the closure.
        var entry: UInt64
        /// The end.
        var end: UInt64
        /// The thread's processor time from entry to end, in nanoseconds, or `nil` if it was not
        /// measured.
        var processorTime: UInt64?
    }

    private struct State: Sendable {
        var counts: [AccessCounts]
        var window: Window
        /// The number of completed accesses, whether or not they are measured, for the displayed
        /// throughput.
        var completed: UInt64 = 0
        /// The number of started accesses, whether or not they are measured.
        var begun: UInt64 = 0
        /// The number of due arrivals that no worker started, indexed by phase.
        var unstarted: [UInt64]
        /// The cell of the running access.
        var running: Int?
        /// Whether the running access is measured.
        var isMeasured = false
        /// The clock time at which the running access started, or `nil` if its wait is unknown.
        var startedAt: UInt64?
        /// The longest wait of a measured access, in nanoseconds, or `nil` if there were no waits.
        var longestWait: UInt64?
        var isSealed = false

        /// Counts the wait of the running access, in nanoseconds.
        @inline(__always)
        mutating func count(wait: UInt64) {
            if isMeasured { longestWait = max(longestWait ?? 0, wait) }
        }
    }

    private let operations: Int
    private let state: Lock<State>
    /// The clock time at which the running access entered its closure, or 0 if no access has.
    ///
    /// The time is cleared and read while the lock is held. A reader therefore finds each hold
    /// either in this property or, after the hold has ended, in a window.
    private let heldSince = Atomic<UInt64>(0)

    /// Creates a recorder for a client with `operations` operations in a run with `phases` phases.
    init(operations: Int, phases: Int = 1) {
        self.operations = operations
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
    private func cell(_ operation: Int, _ phase: PhasePlan.Place) -> Int {
        phase.index &* operations &+ operation
    }

    /// Counts a due arrival that no worker started as offered and unfinished.
    func countUnstarted(in phase: PhasePlan.Place) {
        state.withLock { $0.unstarted[phase.index] += 1 }
    }

    /// Counts an access that is skipped because it would start too late.
    func skip(_ operation: Int, in phase: PhasePlan.Place) {
        state.withLock { state in
            guard !state.isSealed else { return }
            let cell = cell(operation, phase)
            state.counts[cell].offered += 1
            state.counts[cell].skipped += 1
        }
    }

    /// Counts the start of an access.
    ///
    /// - Parameters:
    ///   - operation: The index of the access's operation.
    ///   - phase: The phase of the intended start.
    ///   - lag: The delay of the start, in nanoseconds, or `nil` if there is no schedule.
    ///   - wasFree: Whether the worker was waiting for the access.
    ///   - start: The clock time of the start, or `nil` if the wait is unknown while the access
    ///     runs.
    /// - Returns: `false` if the run is over and the access must not start.
    func begin(
        _ operation: Int,
        in phase: PhasePlan.Place,
        lag: UInt64?,
        wasFree: Bool,
        at start: UInt64? = nil
    ) -> Bool {
        state.withLock { state in
            guard !state.isSealed else { return false }
            let cell = cell(operation, phase)
            state.begun &+= 1
            state.running = cell
            state.isMeasured = phase.isMeasured
            state.startedAt = start
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

    /// Records that the running access has entered its closure and therefore holds a connection.
    @inline(__always)
    func enter(at now: UInt64) {
        heldSince.store(now, ordering: .relaxed)
    }

    /// The clock time at which the running access entered its closure, or `nil` if no access has.
    var runningSince: UInt64? {
        let since = heldSince.load(ordering: .relaxed)
        return since == 0 ? nil : since
    }

    /// Counts a retry of the running access.
    ///
    /// - Parameter onCount: A function to call if the retry is counted, before the recording can
    ///   end.
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
    /// - Parameters:
    ///   - outcome: The outcome.
    ///   - stamps: The times, or `nil` if they are meaningless or the access did not enter its
    ///     closure.
    ///   - waited: The wait of an access that did not enter its closure, in nanoseconds.
    ///   - onCount: A function to call if the access is counted as failed, before the recording can
    ///     end.
    func finish(
        _ outcome: Outcome,
        _ stamps: Stamps?,
        waited: UInt64? = nil,
        onCount: () -> Void = {}
    ) {
        state.withLock { state in
            heldSince.store(0, ordering: .relaxed)
            guard !state.isSealed, let cell = state.running else { return }
            state.running = nil
            if let stamps {
                state.window.holds.add(from: stamps.entry, until: stamps.end)
                state.count(wait: stamps.entry &- min(stamps.entry, stamps.start))
            } else if let waited {
                state.count(wait: waited)
            }
            switch outcome {
            case .completed:
                state.completed &+= 1
                state.counts[cell].completed &+= 1
                guard let stamps else { return }
                state.window.count(stamps, at: cell)
                if state.isMeasured { state.window.slow.offer(stamps, cell: cell) }
            case .interrupted:
                state.counts[cell].interrupted += 1
            case .failed(let code):
                state.counts[cell].errors[code, default: 0] += 1
                onCount()
            }
        }
    }

    /// Ends the recording at a clock time.
    ///
    /// A running access remains unfinished.
    func seal(at now: UInt64) {
        state.withLock { state in
            if let wait = currentWait(state, at: now) { state.count(wait: wait) }
            state.isSealed = true
        }
    }

    /// Returns how long the running access has waited so far, in nanoseconds, or `nil` if no access
    /// is waiting.
    private func currentWait(_ state: State, at now: UInt64) -> UInt64? {
        guard !state.isSealed, state.running != nil, state.isMeasured,
            let start = state.startedAt, heldSince.load(ordering: .relaxed) == 0
        else { return nil }
        return now &- min(now, start)
    }

    /// Returns the longest wait of a measured access, including the running one, in nanoseconds.
    func longestWait(at now: UInt64) -> UInt64? {
        state.withLock { state in
            guard let wait = currentWait(state, at: now) else { return state.longestWait }
            return max(wait, state.longestWait ?? 0)
        }
    }

    /// A worker's counts so far.
    ///
    /// A *cell* is the index `phase × operations + operation`. Cells after the last phase do not
    /// appear in results.
    struct Reading: Sendable {
        /// The counts at each cell.
        ///
        /// The running access is counted only as offered and started.
        var counts: [AccessCounts]
        /// The number of completed accesses, whether or not they are measured.
        var completed: UInt64
        /// The number of started accesses, whether or not they are measured.
        var begun: UInt64
        /// The number of due arrivals that no worker started, indexed by phase.
        var unstarted: [UInt64]
        /// The cell of the running access.
        var running: Int?
    }

    /// Returns the counts so far.
    func read() -> Reading {
        state.withLock { state in
            Reading(
                counts: state.counts,
                completed: state.completed,
                begun: state.begun,
                unstarted: state.unstarted,
                running: state.running
            )
        }
    }

    /// Exchanges the filled window for a cleared one.
    ///
    /// - Returns: The clock time at which the running access entered its closure, or `nil` if no
    ///   access has entered its closure.
    func exchange(_ window: inout Window) -> UInt64? {
        let since = state.withLock { state in
            swap(&state.window, &window)
            return heldSince.load(ordering: .relaxed)
        }
        return since == 0 ? nil : since
    }

    /// Returns a cleared window to exchange for a filled one.
    func makeWindow() -> Window {
        Window(cells: state.withLock { $0.counts.count })
    }
}
