/// Releasing slots and handing them over to waiters.
extension GateSteps {
    /// Releases a slot with a connection.
    ///
    /// A releaser gives up its slot and then checks for waiters. A waiter enqueues and then checks
    /// the slots. So at least one of the two sees the other.
    @inline(__always)
    func release(_ slot: Slot) throws(Failure) {
        if try glimpseAttention().isNone {
            try giveUp(slot, as: AccessSlot.State.idle)
            if try readAttention().isNone { return }
            // A waiter has enqueued since the first check and may have missed the slot, or the
            // writer forbids to keep transactions and may have missed the connection.
            guard try claim(slot, from: AccessSlot.State.idle) else { return }
        }
        try releaseAttentively(slot)
    }

    @inline(never)
    func releaseAttentively(_ slot: Slot) throws(Failure) {
        if try glimpseAttention().forbidsKeeping {
            try endKeptTransaction(of: slot)
            if lendsItsSlot, try giveBackToReservation(slot) { return }
            if try !readAttention().hasWaiters {
                try giveUp(slot, as: AccessSlot.State.idle)
                guard try readAttention().hasWaiters,
                    try claim(slot, from: AccessSlot.State.idle)
                else { return }
            }
        }
        try releaseToWaiters(slot)
    }

    /// Releases a slot that may have no connection, or whose gate may be closed.
    func giveBack(_ slot: Slot) throws(Failure) {
        if try queueIsClosed() {
            try giveUp(slot, as: AccessSlot.State.retired)
        } else if try hasConnection(slot) {
            try release(slot)
        } else {
            if try !readAttention().hasWaiters {
                try giveUp(slot, as: AccessSlot.State.closed)
                guard try readAttention().hasWaiters,
                    try claim(slot, from: AccessSlot.State.closed)
                else { return }
            }
            // The slot is not left free: if a thread took it, a task would sleep although it could
            // open another connection.
            try releaseToWaiters(slot)
        }
    }

    /// Hands a slot over to a waiter, or gives it up if none needs it.
    @inline(never)
    func releaseToWaiters(_ slot: Slot) throws(Failure) {
        switch try handOver(slot) {
        case .free, .grant(_, isAwake: true): break
        case .notify(let waiter): try notify(waiter)
        case .grant(let waiter, isAwake: false): try wake(waiter, granted: slot)
        }
    }

    /// Hands a free slot over to a waiter, if there are both.
    func wakeOne() throws(Failure) {
        guard try readAttention().hasWaiters else { return }
        if let slot = try claimAny() {
            try releaseToWaiters(slot)
        } else if let slot = try claimClosed() {
            try releaseToWaiters(slot)
        }
    }
}
