/// Reserves a pool's writer; see ``AccessGate/withAllConnections(_:_:readers:_:)``.
extension GateSteps {
    /// Reserves the writer, which the caller holds.
    ///
    /// Only threads inside a read may borrow the writer. The caller must then call
    /// ``claimReservation()`` or ``endReservation()``.
    func reserve() throws(Failure) {
        // Makes threads that release the slot check whether it is reserved.
        try forbidKeeping()
        try setReserved(true)
        try giveUp(slots[0], as: AccessSlot.State.reserved)
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
        guard try giveUpIfReserved(slot) else { return false }
        try wakeThreads()
        return true
    }
}
