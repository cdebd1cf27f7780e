/// The steps of the protocol that threads follow to share the slots of a gate.
///
/// Extensions of `GateSteps` define the protocol once: the order in which a thread enqueues itself
/// and searches for a free slot, and the order in which a thread frees its slot and checks for
/// waiters. Each requirement below is one step. Other threads observe each step as a whole.
///
/// ``AccessGate`` implements the steps with atomics and a lock. A test implements them on a value,
/// runs the same protocol one step at a time, and explores every interleaving of several threads.
///
/// `Failure` is `Never` in ``AccessGate``, so its methods do not throw, and the compiler
/// specializes them. The test's steps throw to stop a thread between two steps.
protocol GateSteps {
    associatedtype Slot
    associatedtype Waiter: GateWaiter where Waiter.Slot == Slot
    associatedtype Failure: Error

    /// The gate's fixed set of slots.
    var slots: [Slot] { get }

    /// Whether the only slot can be reserved, as in the gate of a pool's writer.
    var supportsReservation: Bool { get }

    // MARK: Slots

    func claim(_ slot: Slot, from state: UInt8) throws(Failure) -> Bool

    /// Acquires a slot as soon as its state is ``AccessSlot/State/reserved``.
    func claimWhenReserved(_ slot: Slot) throws(Failure)

    /// Frees a slot that the caller holds.
    func free(_ slot: Slot, as state: UInt8) throws(Failure)

    func hasConnection(_ slot: Slot) throws(Failure) -> Bool

    /// Returns whether a caller that can use any slot may open a connection in this slot.
    func mayBeOpened(_ slot: Slot) -> Bool

    // MARK: Conditions

    /// Returns the conditions that a thread must handle when it releases a slot.
    ///
    /// The read is relaxed, so the result may be outdated.
    func readConditionsRelaxed() throws(Failure) -> GateConditions

    func readConditions() throws(Failure) -> GateConditions

    func endKeptTransaction(of slot: Slot) throws(Failure)

    /// Prevents connections from keeping read transactions until ``allowKeeping()`` is called.
    func forbidKeeping() throws(Failure)

    func allowKeeping() throws(Failure)

    // MARK: The queue

    func queueIsClosed() throws(Failure) -> Bool

    /// Returns whether the queue contains a task that can use any slot.
    func queueHasTask() throws(Failure) -> Bool

    /// Adds a waiter, or returns `false` if the gate is closed.
    func enqueue(_ waiter: Waiter) throws(Failure) -> Bool

    /// Removes a waiter that has acquired a slot itself or has failed.
    func withdraw(_ waiter: Waiter) throws(Failure) -> GateWithdrawal<Slot>

    func startWatching(_ waiter: Waiter) throws(Failure) -> GateWaiterState<Slot>

    /// Keeps a waiter's thread awake until the waiter is granted a slot or a short time has
    /// elapsed.
    func watch(_ waiter: Waiter) throws(Failure)

    /// Ends the watch that ``startWatching(_:)`` started, and returns the slot that was granted in
    /// the meantime, if any.
    func stopWatching(_ waiter: Waiter) throws(Failure) -> Slot?

    /// Grants a held slot to a waiter, or frees the slot.
    func handOver(_ slot: Slot) throws(Failure) -> GateHandover<Waiter>

    func setReserved(_ isReserved: Bool) throws(Failure)

    /// Releases the only slot to its reserver, or returns `false` if no access has reserved it.
    func freeIfReserved(_ slot: Slot) throws(Failure) -> Bool

    // MARK: Sleeping

    /// Puts the calling thread to sleep until it is woken.
    ///
    /// A patient waiter sleeps only until its patience expires.
    ///
    /// - Returns: Whether the waiter is still patient.
    func sleep(_ waiter: Waiter, isPatient: Bool) throws(Failure) -> Bool

    /// Wakes a waiter's thread, because a slot is free.
    func notify(_ waiter: Waiter) throws(Failure)

    /// Wakes a waiter's thread, or resumes its task, because it was granted a slot.
    func wake(_ waiter: Waiter, granted slot: Slot) throws(Failure)

    func wakeThreads() throws(Failure)

    /// Returns whether a waiter that holds slots would wait forever.
    func isDeadlocked(_ waiter: Waiter) throws(Failure) -> Bool
}

/// The conditions that threads must handle when they release a slot of a gate.
///
/// The lower half of the word counts the waiters. The upper half counts the accesses that prevent
/// connections from keeping read transactions.
struct GateConditions: Equatable {
    /// The value that one access adds to the word to prevent connections from keeping transactions.
    static let forbidding = 1 << 32

    let word: Int

    @inline(__always)
    var isNone: Bool { word == 0 }

    @inline(__always)
    var hasWaiters: Bool { word & (Self.forbidding - 1) != 0 }

    /// Whether connections must not keep read transactions, or the slot is reserved.
    @inline(__always)
    var forbidsKeeping: Bool { word >= Self.forbidding }
}

/// The obligations that a waiter passes on when it leaves the queue.
struct GateWithdrawal<Slot> {
    /// The slot that another thread granted to the waiter before the withdrawal, if any.
    var granted: Slot?
    /// Whether another thread may have left a slot free for this waiter.
    var mayLeaveFreeSlot: Bool
}

/// The state of a waiter whose thread has woken up.
enum GateWaiterState<Slot> {
    case waiting
    case granted(Slot)
    case closed
}

enum GateHandover<Waiter> {
    case free
    /// The slot is free, and the caller must notify the waiter.
    case notify(Waiter)
    /// The slot was granted to the waiter, which needs no wake-up if `isAwake` is `true`.
    case grant(Waiter, isAwake: Bool)
}

enum GateWaitEnd<Slot> {
    case slot(Slot)
    case closed
    case deadlocked
}

/// The protocol that threads follow to share the slots of a gate.
extension GateSteps {
    // MARK: Waiting

    /// Acquires any free slot with a connection.
    func claimAny() throws(Failure) -> Slot? { try claimAny(in: slots[...]) }

    func claimAny(in slots: ArraySlice<Slot>) throws(Failure) -> Slot? {
        for slot in slots {
            if try claim(slot, from: AccessSlot.State.idle) { return slot }
        }
        return nil
    }

    /// Acquires any slot without a connection, which the caller then opens.
    func claimClosed() throws(Failure) -> Slot? {
        for slot in slots where mayBeOpened(slot) {
            if try claim(slot, from: AccessSlot.State.closed) { return slot }
        }
        return nil
    }

    /// Acquires the reserved writer, if the caller may borrow it.
    func borrow(ifAllowed isAllowed: Bool) throws(Failure) -> Slot? {
        guard isAllowed, supportsReservation,
            try claim(slots[0], from: AccessSlot.State.reserved)
        else { return nil }
        return slots[0]
    }

    private func claimFree(for waiter: Waiter) throws(Failure) -> Slot? {
        if let wanted = waiter.wanted {
            if try claim(wanted, from: AccessSlot.State.idle) { return wanted }
            return try claim(wanted, from: AccessSlot.State.closed) ? wanted : nil
        }
        if let slot = try claimAny() { return slot }
        if let slot = try claimClosed() { return slot }
        return try borrow(ifAllowed: waiter.mayBorrow)
    }

    /// Blocks the calling thread until it has acquired a slot, which may have no connection.
    func waitForSlot(_ waiter: Waiter) throws(Failure) -> GateWaitEnd<Slot> {
        guard try enqueue(waiter) else { return .closed }
        // A waiter for one specific slot is entitled to it immediately.
        var isPatient = waiter.wanted == nil
        while true {
            if let slot = try claimFree(for: waiter) {
                try finishWaiting(waiter)
                return .slot(slot)
            }
            if try isDeadlocked(waiter) {
                try finishWaiting(waiter)
                return .deadlocked
            }
            isPatient = try sleep(waiter, isPatient: isPatient)
            switch try watchForSlot(waiter) {
            case .waiting: break
            case .closed: return .closed
            case .granted(let slot):
                try handOverFreeSlot()
                return .slot(slot)
            }
        }
    }

    /// Acquires the slot for which a waiter's thread was woken.
    ///
    /// If no slot is free yet, the thread stays awake briefly, because an awake thread can receive
    /// a slot without a wake-up.
    private func watchForSlot(_ waiter: Waiter) throws(Failure) -> GateWaiterState<Slot> {
        let state = try startWatching(waiter)
        guard case .waiting = state else { return state }
        // A thread may have released a slot without observing that this thread is awake. Such a
        // thread leaves the slot free.
        if let slot = try claimFree(for: waiter) {
            try finishWaiting(waiter)
            return .granted(slot)
        }
        try watch(waiter)
        if let granted = try stopWatching(waiter) { return .granted(granted) }
        return .waiting
    }

    /// Removes a waiter that has acquired a slot itself or has failed.
    ///
    /// Before its removal, the waiter may have been granted a slot or notified about a free slot.
    /// Another thread may also have left a slot free for the waiter instead of granting the slot to
    /// a task. This method passes any such slot or notification on to another waiter.
    private func finishWaiting(_ waiter: Waiter) throws(Failure) {
        let withdrawal = try withdraw(waiter)
        if let granted = withdrawal.granted { try returnSlot(granted) }
        if withdrawal.mayLeaveFreeSlot { try wakeOneWaiter() }
    }

    /// Hands over a free slot after this thread was granted a different slot.
    ///
    /// Another thread may have left the free slot for this thread instead of granting that slot to
    /// a task.
    private func handOverFreeSlot() throws(Failure) {
        if try readConditions().hasWaiters, try queueHasTask() { try wakeOneWaiter() }
    }

    /// Enqueues a waiter that does not search for a slot itself.
    ///
    /// - Returns: `false` if the gate is closed, in which case the waiter is not enqueued.
    func startWaiting(_ waiter: Waiter) throws(Failure) -> Bool {
        guard try enqueue(waiter) else { return false }
        // A thread that did not observe the waiter may have left a slot free.
        if let slot = try claimFree(for: waiter) { try returnSlot(slot) }
        return true
    }

    // MARK: Releasing

    /// Releases a slot with a connection.
    ///
    /// A thread that releases a slot first marks it as free and then checks for waiters. A waiter
    /// joins the queue and then checks the slots. At least one of the two therefore observes the
    /// other.
    @inline(__always)
    func release(_ slot: Slot) throws(Failure) {
        if try readConditionsRelaxed().isNone {
            try free(slot, as: AccessSlot.State.idle)
            if try readConditions().isNone { return }
            // Since the first check, a waiter has joined the queue and may have missed the slot, or
            // an access has disabled kept transactions and may not have ended the one on this slot.
            guard try claim(slot, from: AccessSlot.State.idle) else { return }
        }
        try releaseSlowPath(slot)
    }

    @inline(never)
    func releaseSlowPath(_ slot: Slot) throws(Failure) {
        if try readConditionsRelaxed().forbidsKeeping {
            try endKeptTransaction(of: slot)
            if supportsReservation, try returnToReservation(slot) { return }
            if try !readConditions().hasWaiters {
                try free(slot, as: AccessSlot.State.idle)
                guard try readConditions().hasWaiters,
                    try claim(slot, from: AccessSlot.State.idle)
                else { return }
            }
        }
        try releaseToWaiters(slot)
    }

    /// Releases a slot that may have no connection, or whose gate may be closed.
    func returnSlot(_ slot: Slot) throws(Failure) {
        if try queueIsClosed() {
            try free(slot, as: AccessSlot.State.retired)
        } else if try hasConnection(slot) {
            try release(slot)
        } else {
            if try !readConditions().hasWaiters {
                try free(slot, as: AccessSlot.State.closed)
                guard try readConditions().hasWaiters,
                    try claim(slot, from: AccessSlot.State.closed)
                else { return }
            }
            // Grants the slot instead of leaving it free. If a running thread acquired a free
            // slot, a suspended task would not be resumed, although the task could open a
            // connection in another slot.
            try releaseToWaiters(slot)
        }
    }

    /// Hands a slot over to a waiter, or frees the slot if no waiter needs it.
    @inline(never)
    func releaseToWaiters(_ slot: Slot) throws(Failure) {
        switch try handOver(slot) {
        case .free, .grant(_, isAwake: true): break
        case .notify(let waiter): try notify(waiter)
        case .grant(let waiter, isAwake: false): try wake(waiter, granted: slot)
        }
    }

    /// Hands a free slot over to a waiter, if both exist.
    func wakeOneWaiter() throws(Failure) {
        guard try readConditions().hasWaiters else { return }
        if let slot = try claimAny() {
            try releaseToWaiters(slot)
        } else if let slot = try claimClosed() {
            try releaseToWaiters(slot)
        }
    }

    // MARK: Reserving a pool's writer; see ``AccessGate/withAllConnections(_:at:readers:_:)``

    /// Reserves the writer, which the caller holds.
    ///
    /// Only threads inside a read may borrow the writer. The caller must then call
    /// ``claimReservation()`` or ``endReservation()``.
    func reserve() throws(Failure) {
        // Makes threads that release the slot check whether it is reserved.
        try forbidKeeping()
        try setReserved(true)
        try free(slots[0], as: AccessSlot.State.reserved)
        try wakeThreads()
    }

    /// Acquires the reserved writer.
    ///
    /// The caller must hold all readers, so that no thread can borrow the writer.
    func claimReservation() throws(Failure) -> Slot {
        // The last borrower may not have returned the slot yet, but it has left its access.
        try claimWhenReserved(slots[0])
        try setReserved(false)
        try allowKeeping()
        return slots[0]
    }

    /// Ends the reservation.
    ///
    /// A borrower keeps the writer until its access ends.
    func endReservation() throws(Failure) {
        try setReserved(false)
        let isReturned = try claim(slots[0], from: AccessSlot.State.reserved)
        try allowKeeping()
        if isReturned { try returnSlot(slots[0]) }
    }

    /// Releases a borrowed slot to its reserver, or returns `false` if no access has reserved it.
    func returnToReservation(_ slot: Slot) throws(Failure) -> Bool {
        guard try freeIfReserved(slot) else { return false }
        try wakeThreads()
        return true
    }
}
