extension GateSteps {
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
                try passOnFreeSlot()
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

    /// Removes a waiter that has acquired a slot itself or has failed, and passes on any slot or
    /// notification that was intended for the waiter.
    ///
    /// Before its removal, the waiter may have been granted a slot or notified about a free slot.
    /// Another thread may also have left a slot free for the waiter instead of granting the slot to
    /// a task.
    private func finishWaiting(_ waiter: Waiter) throws(Failure) {
        let withdrawal = try withdraw(waiter)
        if let granted = withdrawal.granted { try returnSlot(granted) }
        if withdrawal.mayLeaveFreeSlot { try wakeOne() }
    }

    /// Passes on a free slot after this thread was granted another slot.
    ///
    /// Another thread may have left the slot free for this thread instead of granting it to a task.
    private func passOnFreeSlot() throws(Failure) {
        if try readConditions().hasWaiters, try queueHasTask() { try wakeOne() }
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
}
