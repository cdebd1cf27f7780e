extension GateSteps {
    /// Releases a slot with a connection.
    ///
    /// A thread that releases a slot first marks it as free and then checks for waiters. A waiter
    /// joins the queue and then checks the slots. At least one of the two therefore observes the
    /// other.
    @inline(__always)
    func release(_ slot: Slot) throws(Failure) {
        if try readConditionsRelaxed().isNone {
            try giveUp(slot, as: AccessSlot.State.idle)
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
                try giveUp(slot, as: AccessSlot.State.idle)
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
            try giveUp(slot, as: AccessSlot.State.retired)
        } else if try hasConnection(slot) {
            try release(slot)
        } else {
            if try !readConditions().hasWaiters {
                try giveUp(slot, as: AccessSlot.State.closed)
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
    func wakeOne() throws(Failure) {
        guard try readConditions().hasWaiters else { return }
        if let slot = try claimAny() {
            try releaseToWaiters(slot)
        } else if let slot = try claimClosed() {
            try releaseToWaiters(slot)
        }
    }
}
