@testable import SQLiteEngine

/// The step before which a thread of the model stops.
struct NextStep: Error, Equatable {
    let gate: Int
    let step: GateStep
}

/// The results of the steps that a thread has performed in an operation.
///
/// The protocol is deterministic. Running the protocol again with these results leads to the next
/// step, so the list of results represents the complete state of a thread.
final class GateReplay {
    private let results: [Int]
    private var next = 0

    init(results: [Int]) { self.results = results }

    fileprivate func result(of step: GateStep, at gate: Int) throws(NextStep) -> Int {
        guard next < results.count else { throw NextStep(gate: gate, step: step) }
        defer { next += 1 }
        return results[next]
    }
}

/// A gate that returns recorded results for its steps, up to the first step without a result.
final class ReplayedGate: GateSteps {
    typealias Slot = Int
    typealias Waiter = GateModelWaiter
    typealias Failure = NextStep

    let index: Int
    let slots: [Int]
    let supportsReservation: Bool
    private let replay: GateReplay
    private let flaw: GateFlaw?
    private var hasReleased = false
    private var isEnqueuedTask = false
    private var postponedWaiter: GateModelWaiter?

    init(
        _ index: Int,
        slots: Int,
        supportsReservation: Bool,
        _ replay: GateReplay,
        _ flaw: GateFlaw?
    ) {
        self.index = index
        self.slots = Array(0..<slots)
        self.replay = replay
        self.flaw = flaw
        self.supportsReservation = supportsReservation
    }

    /// Returns the result of a step, or stops the thread before the step.
    @discardableResult
    func perform(_ step: GateStep) throws(NextStep) -> Int {
        try replay.result(of: step, at: index)
    }

    // MARK: Slots

    func claim(_ slot: Int, from state: UInt8) throws(NextStep) -> Bool {
        if isEnqueuedTask, flaw == .tasksDoNotCheckSlots { return false }
        let step = GateStep.claim(slot, from: state, onlyCompares: flaw == .claimsInTwoSteps)
        guard try perform(step) == 1 else { return false }
        if flaw == .claimsInTwoSteps { try perform(.seize(slot)) }
        return true
    }

    func claimWhenReserved(_ slot: Int) throws(NextStep) { try perform(.claimWhenReserved) }

    func free(_ slot: Int, as state: UInt8) throws(NextStep) {
        try perform(.free(slot, as: state))
        hasReleased =
            flaw == .noSearchAfterRelease && state == AccessSlot.State.idle
            || flaw == .hidesFailedOpenings && state == AccessSlot.State.closed
    }

    func hasConnection(_ slot: Int) throws(NextStep) -> Bool {
        try perform(.hasConnection(slot)) == 1
    }

    func mayBeOpened(_ slot: Int) -> Bool { true }

    // MARK: Conditions

    func readConditionsRelaxed() throws(NextStep) -> GateConditions {
        GateConditions(word: try perform(.readConditions))
    }

    func readConditions() throws(NextStep) -> GateConditions {
        if hasReleased {
            hasReleased = false
            return GateConditions(word: 0)
        }
        return GateConditions(word: try perform(.readConditions))
    }

    func endKeptTransaction(of slot: Int) {}

    func forbidKeeping() throws(NextStep) { try perform(.forbidKeeping) }

    func allowKeeping() throws(NextStep) { try perform(.allowKeeping) }

    // MARK: The queue

    func queueIsClosed() throws(NextStep) -> Bool { try perform(.queueIsClosed) == 1 }

    func queueHasTask() throws(NextStep) -> Bool {
        if flaw == .doesNotHandOver { return false }
        return try perform(.queueHasTask) == 1
    }

    func enqueue(_ waiter: GateModelWaiter) throws(NextStep) -> Bool {
        if flaw == .checksBeforeEnqueueing, !waiter.isTask {
            postponedWaiter = waiter
            return true
        }
        isEnqueuedTask = waiter.isTask
        return try perform(.enqueue(waiter)) == 1
    }

    /// Performs the step that ``GateFlaw/checksBeforeEnqueueing`` has postponed.
    private func enqueuePostponedWaiter() throws(NextStep) {
        guard let waiter = postponedWaiter else { return }
        postponedWaiter = nil
        try perform(.enqueue(waiter))
    }

    func withdraw(_ waiter: GateModelWaiter) throws(NextStep) -> GateWithdrawal<Int> {
        if postponedWaiter != nil { return GateWithdrawal(mayLeaveFreeSlot: false) }
        let result = try perform(.withdraw)
        return GateWithdrawal(
            granted: flaw == .losesGrants ? nil : result / 2 - 1 < 0 ? nil : result / 2 - 1,
            mayLeaveFreeSlot: flaw != .doesNotHandOver && result % 2 == 1
        )
    }

    func startWatching(
        _ waiter: GateModelWaiter
    ) throws(NextStep) -> GateWaiterState<Int> {
        let result = try perform(.startWatching)
        if result == GateModel.closed { return .closed }
        return result < 0 ? .waiting : .granted(result)
    }

    func watch(_ waiter: GateModelWaiter) {}

    func stopWatching(_ waiter: GateModelWaiter) throws(NextStep) -> Int? {
        let result = try perform(.stopWatching)
        return result < 0 ? nil : result
    }

    func handOver(_ slot: Int) throws(NextStep) -> GateHandover<GateModelWaiter> {
        let result = try perform(.handOver(slot))
        let waiter = GateModelWaiter(thread: result / 8, isTask: result / 4 % 2 == 1)
        switch result % 4 {
        case 2: return .grant(waiter, isAwake: false)
        case 3: return .grant(waiter, isAwake: true)
        case let decision:
            if flaw == .releasesOutsideTheLock {
                let isOpen = try hasConnection(slot)
                try free(slot, as: isOpen ? AccessSlot.State.idle : AccessSlot.State.closed)
            }
            return decision == 0 ? .free : .notify(waiter)
        }
    }

    func setReserved(_ isReserved: Bool) throws(NextStep) {
        try perform(.setReserved(isReserved))
    }

    func freeIfReserved(_ slot: Int) throws(NextStep) -> Bool {
        if flaw == .losesReservations { return false }
        return try perform(.freeIfReserved(slot)) == 1
    }

    // MARK: Sleeping

    func sleep(_ waiter: GateModelWaiter, isPatient: Bool) throws(NextStep) -> Bool {
        try enqueuePostponedWaiter()
        if flaw == .losesEarlyWakeUps { try perform(.discardWakeUp) }
        return try perform(.sleep(waiter, isPatient: isPatient)) == 1
    }

    func notify(_ waiter: GateModelWaiter) throws(NextStep) {
        try perform(.notify(thread: waiter.thread))
    }

    func wake(_ waiter: GateModelWaiter, granted slot: Int) throws(NextStep) {
        try perform(.wake(thread: waiter.thread, slot: slot, isTask: waiter.isTask))
    }

    func wakeThreads() throws(NextStep) {
        if flaw != .reservesSilently { try perform(.wakeThreads) }
    }

    func isDeadlocked(_ waiter: GateModelWaiter) throws(NextStep) -> Bool {
        let isDeadlocked = try perform(.isDeadlocked(waiter)) == 1
        return isDeadlocked && flaw != .missesDeadlocks
    }
}
