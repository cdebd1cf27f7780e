import Synchronization
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
        /// Well.
        case completed
        /// With an interrupt.
        case interrupted
        /// With an error, by the name of its code.
        case failed(String)
    }

    /// The moments of an access, in nanoseconds of the run's clock.
    struct Stamps: Sendable {
        /// When it was meant to start; its start where there is no schedule.
        var intended: UInt64
        /// When it started.
        var start: UInt64
        /// When its closure was entered.
        var entry: UInt64
        /// When it ended.
        var end: UInt64
        /// The processor time that its thread used from the entry to the end, in nanoseconds; nil
        /// where that was not looked at.
        var processorTime: UInt64?
    }

    private struct State: Sendable {
        var counts: [AccessCounts]
        var window: Window
        /// All completed accesses, measured or not: what throughput is shown from.
        var completed: UInt64 = 0
        /// All begun accesses, measured or not.
        var begun: UInt64 = 0
        /// Arrivals that were due and whose turn never came, by phase.
        var left: [UInt64]
        /// The place of the access that runs.
        var running: Int?
        /// Whether that one counts in the result.
        var isMeasured = false
        var isSealed = false
    }

    private let operations: Int
    private let state: Lock<State>
    /// Since when the running access has been inside its closure, on the clock; 0 while none is.
    ///
    /// Cleared and read inside the lock: whoever looks finds the hold of an access open or, when it
    /// has ended, in a window.
    private let heldSince = Atomic<UInt64>(0)

    /// Creates a recorder for a client with so many operations, in a run with so many phases.
    init(operations: Int, phases: Int = 1) {
        self.operations = operations
        // One more, for what lies in no phase.
        let places = operations * (phases + 1)
        state = Lock(
            State(
                counts: Array(repeating: AccessCounts(), count: places),
                window: Window(places: places),
                left: Array(repeating: 0, count: phases + 1)
            )
        )
    }

    @inline(__always)
    private func place(_ operation: Int, _ phase: PhasePlan.Place) -> Int {
        phase.index &* operations &+ operation
    }

    /// Counts an arrival that was due and whose turn never came: it is offered, and unfinished.
    func leave(in phase: PhasePlan.Place) {
        state.withLock { $0.left[phase.index] += 1 }
    }

    /// Counts an access that was too late for its turn.
    func skip(_ operation: Int, in phase: PhasePlan.Place) {
        state.withLock { state in
            guard !state.isSealed else { return }
            let place = place(operation, phase)
            state.counts[place].offered += 1
            state.counts[place].skipped += 1
        }
    }

    /// Counts an access that starts.
    ///
    /// - Parameters:
    ///   - operation: The index of its operation.
    ///   - phase: The phase that its intended start lies in.
    ///   - lag: How late it starts, in nanoseconds; nil where there is no schedule.
    ///   - wasFree: Whether its worker had been waiting for it.
    /// - Returns: False when the run is over, and the access must not start.
    func begin(
        _ operation: Int,
        in phase: PhasePlan.Place,
        lag: UInt64?,
        wasFree: Bool
    ) -> Bool {
        state.withLock { state in
            guard !state.isSealed else { return false }
            let place = place(operation, phase)
            state.begun &+= 1
            state.running = place
            state.isMeasured = phase.isMeasured
            state.counts[place].offered &+= 1
            state.counts[place].started &+= 1
            if let lag {
                state.window.count(lag: lag, at: place)
                if wasFree, phase.isMeasured { state.window.freeLag.count(lag) }
                if lag > 1_000_000 { state.counts[place].late &+= 1 }
            }
            return true
        }
    }

    /// Notes that the running access is inside its closure, and so holds a connection.
    @inline(__always)
    func enter(at now: UInt64) {
        heldSince.store(now, ordering: .relaxed)
    }

    /// Counts another try of the running access.
    func retry() {
        state.withLock { state in
            heldSince.store(0, ordering: .relaxed)
            guard !state.isSealed, let place = state.running else { return }
            state.counts[place].retried += 1
        }
    }

    /// Counts the end of the running access.
    ///
    /// - Parameters:
    ///   - outcome: How it ended.
    ///   - stamps: Its moments; nil where they mean nothing, or its closure was never entered.
    func finish(_ outcome: Outcome, _ stamps: Stamps?) {
        state.withLock { state in
            heldSince.store(0, ordering: .relaxed)
            guard !state.isSealed, let place = state.running else { return }
            state.running = nil
            if let stamps { state.window.holds.add(from: stamps.entry, until: stamps.end) }
            switch outcome {
            case .completed:
                state.completed &+= 1
                state.counts[place].completed &+= 1
                guard let stamps else { return }
                state.window.count(stamps, at: place)
                if state.isMeasured { state.window.slow.offer(stamps, place: place) }
            case .interrupted:
                state.counts[place].interrupted += 1
            case .failed(let code):
                state.counts[place].errors[code, default: 0] += 1
            }
        }
    }

    /// Ends the counting: what runs now stays unfinished.
    func seal() {
        state.withLock { $0.isSealed = true }
    }

    /// What the worker did so far.
    ///
    /// A *place* is `phase × operations + operation`; those after the last phase count nothing
    /// that a result shows.
    struct Reading: Sendable {
        /// The counts of each place; the running access is offered, and not yet anything else.
        var counts: [AccessCounts]
        /// All completed accesses, measured or not.
        var completed: UInt64
        /// All begun accesses, measured or not.
        var begun: UInt64
        /// Arrivals that were due and whose turn never came, by phase.
        var left: [UInt64]
        /// The place of the access that runs.
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
    ///
    /// - Returns: Since when the running access has been inside its closure, on the clock; nil
    ///   when none is.
    func exchange(_ window: inout Window) -> UInt64? {
        let since = state.withLock { state in
            swap(&state.window, &window)
            return heldSince.load(ordering: .relaxed)
        }
        return since == 0 ? nil : since
    }

    /// A cleared window to exchange for this recorder's.
    func makeWindow() -> Window {
        Window(places: state.withLock { $0.counts.count })
    }
}
