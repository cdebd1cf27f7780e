import Synchronization
import Telemetry

/// Where the load stands, and the clock that stands still while it is paused.
///
/// Workers look at `stage` before every access, which costs them one atomic load; whoever changes
/// it wakes those who sleep.
final class RunControl: Sendable {
    /// What workers may do.
    enum Stage: UInt8, AtomicRepresentable, Comparable {
        /// Start accesses.
        case running
        /// Wait, and start nothing.
        case paused
        /// Start nothing any more; end what runs, let holds go.
        case stopped
        /// The drain is over: what still runs is unfinished.
        case sealed

        static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
    }

    private struct State: Sendable {
        var sleepers: [any Sleeper] = []
        /// The load time at which it was paused.
        var pausedAt: UInt64?
        var hasBegun = false
        var isInterrupted = false
        var failure: String?
    }

    private let clock: any RunClock
    private let state = Lock(State())
    private let stageValue = Atomic<Stage>(.running)
    /// The clock's time at load time 0, later by each pause.
    private let origin = Atomic<UInt64>(0)
    private let stop = Atomic<UInt64>(.max)

    init(clock: any RunClock) {
        self.clock = clock
    }

    /// What workers may do now.
    var stage: Stage { stageValue.load(ordering: .acquiring) }

    /// Whether the run was stopped from outside, before its end.
    var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

    /// The load time at which the load was stopped; `.max` while it was not.
    var stopTime: UInt64 { stop.load(ordering: .acquiring) }

    /// The load time now.
    func now() -> UInt64 {
        state.withLock { state in now(state) }
    }

    private func now(_ state: State) -> UInt64 {
        state.pausedAt ?? (clock.now() &- origin.load(ordering: .acquiring))
    }

    /// The clock's time of a load time, as long as nobody pauses.
    @inline(__always)
    func clockTime(of loadTime: UInt64) -> UInt64 {
        let (time, overflow) = origin.load(ordering: .acquiring).addingReportingOverflow(loadTime)
        return overflow ? .max : time
    }

    /// The load time of a time of the clock, as long as nobody pauses.
    @inline(__always)
    func loadTime(of clockTime: UInt64) -> UInt64 {
        let origin = origin.load(ordering: .acquiring)
        return clockTime > origin ? clockTime &- origin : 0
    }

    /// Wakes every thread, so that it looks again at what it waits for.
    func wakeAll() {
        for sleeper in state.withLock({ $0.sleepers }) { sleeper.wake() }
    }

    /// Registers a thread that must wake up when the stage changes.
    func register(_ sleeper: any Sleeper) {
        state.withLock { $0.sleepers.append(sleeper) }
    }

    /// Sets load time 0 to now, unless the run was stopped before.
    func begin() {
        state.withLock { state in
            origin.store(clock.now(), ordering: .releasing)
            state.hasBegun = true
            if stage == .stopped {
                stop.store(0, ordering: .releasing)
            } else if stage == .paused {
                state.pausedAt = 0
            }
        }
    }

    /// Holds the load back: accesses that run go on, none start, and load time stands still.
    func pause() {
        change { state in
            guard stage == .running else { return false }
            if state.hasBegun { state.pausedAt = now(state) }
            stageValue.store(.paused, ordering: .releasing)
            return false
        }
    }

    /// Lets the load go on; schedules shift by the pause.
    func resume() {
        change { state in
            guard stage == .paused else { return false }
            endPause(&state)
            stageValue.store(.running, ordering: .releasing)
            return true
        }
    }

    /// Ends the load early: nothing starts any more, and the result is partial.
    func interruptRun() {
        change { state in
            guard stage < .stopped else { return false }
            state.isInterrupted = true
            stop(&state)
            return true
        }
    }

    /// Ends the load early because it cannot go on; the first reason counts.
    func fail(because reason: String) {
        change { state in
            guard stage < .stopped else { return false }
            state.failure = reason
            stop(&state)
            return true
        }
    }

    /// Why the load could not go on; nil when it could.
    var failure: String? { state.withLock { $0.failure } }

    /// Ends the drain: what runs is unfinished.
    func seal() {
        change { state in
            if stopTime == .max { stop.store(now(state), ordering: .releasing) }
            stageValue.store(.sealed, ordering: .releasing)
            return true
        }
    }

    private func stop(_ state: inout State) {
        if state.hasBegun { stop.store(now(state), ordering: .releasing) }
        endPause(&state)
        stageValue.store(.stopped, ordering: .releasing)
    }

    private func endPause(_ state: inout State) {
        guard let pausedAt = state.pausedAt else { return }
        origin.store(clock.now() &- pausedAt, ordering: .releasing)
        state.pausedAt = nil
    }

    /// Makes a transition under the lock, and wakes all threads when it says so.
    private func change(_ transition: (inout State) -> Bool) {
        let sleepers = state.withLock { state in transition(&state) ? state.sleepers : [] }
        for sleeper in sleepers { sleeper.wake() }
    }
}
