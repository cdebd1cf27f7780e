import Foundation
import Scenarios
import Synchronization
import Telemetry
import Text

/// The load's stage and clock.
///
/// The clock stops while the load is paused. Workers check ``stage`` before every access, which
/// costs one atomic load. A change of the stage wakes sleeping threads, except a change to
/// `.paused`.
final class RunControl: Sendable {
    enum Stage: UInt8, AtomicRepresentable, Comparable {
        /// Workers start accesses.
        case running
        /// Workers wait and do not start accesses.
        case paused
        /// Running accesses and holds end, and new accesses do not start.
        case stopped
        /// The drain is over, and running accesses count as unfinished.
        case sealed

        static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
    }

    private struct State: Sendable {
        var sleepers: [any Sleeper] = []
        var pausedAt: UInt64?
        var hasBegun = false
        var isInterrupted = false
        var failure: String?
        var abortResult: AbortResult?
    }

    private let clock: any RunClock
    private let state = Lock(State())
    private let stageValue = Atomic<Stage>(.running)
    /// The clock time at load time 0.
    ///
    /// Each pause moves this time later.
    private let origin = Atomic<UInt64>(0)
    private let stop = Atomic<UInt64>(.max)

    init(clock: any RunClock) {
        self.clock = clock
    }

    var stage: Stage { stageValue.load(ordering: .acquiring) }

    var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

    /// The load time at which the run stopped, or `.max` if it has not stopped.
    var stopTime: UInt64 { stop.load(ordering: .acquiring) }

    func now() -> UInt64 {
        state.withLock { state in now(state) }
    }

    private func now(_ state: State) -> UInt64 {
        state.pausedAt ?? (clock.now() &- origin.load(ordering: .acquiring))
    }

    /// Converts a load time to a clock time, assuming no further pauses.
    @inline(__always)
    func clockTime(of loadTime: UInt64) -> UInt64 {
        let (time, overflow) = origin.load(ordering: .acquiring).addingReportingOverflow(loadTime)
        return overflow ? .max : time
    }

    /// Converts a clock time to a load time, assuming no further pauses.
    @inline(__always)
    func loadTime(of clockTime: UInt64) -> UInt64 {
        let origin = origin.load(ordering: .acquiring)
        return clockTime > origin ? clockTime &- origin : 0
    }

    func wakeAll() {
        for sleeper in state.withLock({ $0.sleepers }) { sleeper.wake() }
    }

    func register(_ sleeper: any Sleeper) {
        state.withLock { $0.sleepers.append(sleeper) }
    }

    /// Starts the load time at 0, even if the load is paused or stopped.
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

    /// Pauses the load's clock and prevents new accesses from starting.
    ///
    /// Running accesses continue.
    func pause() {
        change { state in
            guard stage == .running else { return false }
            if state.hasBegun { state.pausedAt = now(state) }
            stageValue.store(.paused, ordering: .releasing)
            return false
        }
    }

    /// Resumes the load, shifting schedules by the length of the pause.
    func resume() {
        change { state in
            guard stage == .paused else { return false }
            endPause(&state)
            stageValue.store(.running, ordering: .releasing)
            return true
        }
    }

    /// Ends the load early and marks the result as partial.
    func interruptRun() { end { $0.isInterrupted = true } }

    /// Ends the load early because it cannot continue.
    func fail(because reason: String) { end { $0.failure = reason } }

    func abort(because result: AbortResult) { end { $0.abortResult = result } }

    /// Ends the load early and records why, unless the load has already stopped.
    private func end(_ record: (inout State) -> Void) {
        change { state in
            guard stage < .stopped else { return false }
            record(&state)
            stop(&state)
            return true
        }
    }

    var abortResult: AbortResult? { state.withLock { $0.abortResult } }

    var failure: String? { state.withLock { $0.failure } }

    /// Ends the drain.
    ///
    /// Accesses that are still running count as unfinished.
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

    /// Performs a transition under the lock, then wakes all threads if the transition returns
    /// `true`.
    private func change(_ transition: (inout State) -> Bool) {
        let sleepers = state.withLock { state in transition(&state) ? state.sleepers : [] }
        for sleeper in sleepers { sleeper.wake() }
    }
}

/// The objects that the workers and the other parts of a run share.
struct RunContext: Sendable {
    let phases: PhasePlan
    let control: RunControl
    let clock: any RunClock
    let target: any WorkloadTarget
    let events: EventLog
    let busy: BusyRecord
    let errorMessages = ErrorMessages()
    let stability: StabilityLog
    /// The interrupts that target connections rather than specific accesses.
    let interrupts: InterruptRequests
    var alarm: AlarmClock?
    var processes: ClientProcesses?
    var driver: DriverTarget?
    var holders: LockHolders?
    var folder: URL?
    var abort: AbortWatch?
    var steering: LoadSteering?
    /// The periods in which to measure the clients, or `nil` to measure only the phases.
    var periods: LoadPeriods?
}

extension ClientProcesses {
    /// Starts a process for each worker of clients with `style: process`.
    ///
    /// - Returns: The processes, or `nil` if no client has this style or there is no command.
    /// - Throws: `RunError` if a process cannot open the database.
    static func start(
        for plans: [ClientPlan],
        on arm: Arm,
        at path: String,
        command: [String]?
    ) throws -> ClientProcesses? {
        let plans = plans.filter { $0.client.style == .process }
        guard !plans.isEmpty, let command, let program = command.first else { return nil }
        let processes = ClientProcesses(
            RemoteTarget.Command(
                executable: URL(fileURLWithPath: program),
                arguments: Array(command.dropFirst())
            ),
            arm: arm,
            path: path
        )
        do {
            for plan in plans {
                for worker in 0..<plan.client.workers {
                    _ = try processes.target(of: plan.name.name, worker: worker)
                }
            }
        } catch {
            processes.close()
            throw RunError(.opening, "another process cannot open the database", cause: error)
        }
        return processes
    }
}
