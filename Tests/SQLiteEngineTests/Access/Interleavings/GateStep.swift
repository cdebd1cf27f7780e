import Telemetry
@testable import SQLiteEngine

/// A step of a thread at a gate.
///
/// A step is a requirement of ``GateSteps`` or exists only in the model.
enum GateStep: Hashable {
    case claim(_ slot: Int, from: UInt8, onlyCompares: Bool)
    case claimWhenReserved
    case free(_ slot: Int, as: UInt8)
    case hasConnection(_ slot: Int)
    case readConditions
    case forbidKeeping
    case allowKeeping
    case queueIsClosed
    case queueHasTask
    case enqueue(GateModelWaiter)
    case withdraw
    case startWatching
    case stopWatching
    case handOver(_ slot: Int)
    case setReserved(Bool)
    case freeIfReserved(_ slot: Int)
    case sleep(GateModelWaiter, isPatient: Bool)
    /// Discards a wake-up.
    ///
    /// See ``GateFlaw/losesEarlyWakeUps``.
    case discardWakeUp
    case notify(thread: Int)
    case wake(thread: Int, slot: Int, isTask: Bool)
    case wakeThreads
    case isDeadlocked(GateModelWaiter)

    /// Opens or closes the connection of a slot.
    case setConnection(_ slot: Int, isOpen: Bool)
    /// Ends the registration of a wait: ``AccessGate/endNestedWait(_:)``.
    case endNestedWait
    /// Blocks a task until it is resumed.
    case awaitResumption
    /// Cancels the wait of another thread's task.
    case cancel(thread: Int)
    /// Closes the gate: ``AccessGate/retire()``.
    case retire
    /// Acquires a slot in any state.
    ///
    /// See ``GateFlaw/claimsInTwoSteps``.
    case seize(_ slot: Int)
}

/// A waiter of the model.
struct GateModelWaiter: GateWaiter, Hashable {
    var thread = 0
    var since: UInt64 = 0
    var patience = EngineTimings.shortestPatience
    var wanted: Int?
    var mayBorrow = false
    var isTask = false
    var holdsNothing = true
    var isNotified = false
    var isAwake = false
    var granted: Int?

    func isSame(as other: Self) -> Bool { thread == other.thread }

    func canUse(_ slot: Int) -> Bool { wanted == nil || wanted == slot }

    mutating func grant(_ slot: Int) { granted = slot }
}

/// A flaw planted in the steps, which the exploration must find.
enum GateFlaw: CaseIterable {
    /// A thread does not search for waiters after releasing its slot.
    case noSearchAfterRelease
    /// A waiter checks the slots before it joins the queue, but not afterward.
    case checksBeforeEnqueueing
    /// A task does not check the slots after it has joined the queue.
    case tasksDoNotCheckSlots
    /// A thread selects a waiter while it holds the lock, but releases its slot after it has
    /// released the lock.
    case releasesOutsideTheLock
    /// A waiter that finds a free slot loses its granted slot.
    case losesGrants
    /// A thread that stops waiting does not hand over a slot that was left free for it.
    case doesNotHandOver
    /// A wake-up before the thread sleeps is lost.
    case losesEarlyWakeUps
    /// A waiter remains in the queue when it is granted a slot.
    case grantsWithoutRemoving
    /// A slot is acquired with a load followed by a store.
    case claimsInTwoSteps
    /// A borrower does not return the slot to its reserver.
    case losesReservations
    /// No thread is woken when the slot is reserved or returned.
    case reservesSilently
    /// A wait that completes a deadlock is not refused.
    case missesDeadlocks
    /// A canceled waiter is still counted as waiting.
    case countsCancelledWaiters
    /// A slot whose connection failed to open is released without a search for waiters.
    case hidesFailedOpenings
}
