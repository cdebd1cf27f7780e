/// Read transactions that idle connections keep, and who wants them ended.
extension AccessGate {
    /// Whether read transactions may be kept now.
    @inline(__always)
    var allowsKeeping: Bool { attention.load(ordering: .relaxed) < Self.forbidding }

    /// Ends the transactions that idle connections keep, and lets none be kept from now on.
    ///
    /// ``allowKeeping()`` ends it; calls nest.
    func forbidKeeping() {
        attention.wrappingAdd(Self.forbidding, ordering: .sequentiallyConsistent)
        endKeptTransactions()
    }

    /// Ends what ``forbidKeeping()`` began.
    func allowKeeping() {
        attention.wrappingSubtract(Self.forbidding, ordering: .sequentiallyConsistent)
    }

    /// Ends the transactions that idle connections keep.
    ///
    /// - Returns: Whether each connection was met: none was somebody's at that moment.
    @discardableResult
    func endKeptTransactions() -> Bool {
        var hasMetAll = true
        for slot in slots {
            if slot.claimIdle() {
                slot.database?.endKeptTransaction()
                release(slot)
            } else if slot.mayKeepTransaction {
                hasMetAll = false
            }
        }
        return hasMetAll
    }
}
