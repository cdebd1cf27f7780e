import CSQLite
import Synchronization
import Telemetry

extension ConnectionProbe {
    @inline(__always)
    func willBeginTransaction() {
        guard isEnabled else { return }
        if let walIndex {
            positionBefore.store(WALPosition(walIndex).word, ordering: .relaxed)
            positionAfter.store(0, ordering: .relaxed)
        }
        if duties.load(ordering: .relaxed) & Duty.split != 0 { enter(.acquiringState) }
    }

    /// Records the start of a write transaction, or of a transaction that has not read yet.
    @inline(__always)
    func didBeginTransaction(isWrite: Bool) {
        guard isEnabled else { return }
        let isSplit = duties.load(ordering: .relaxed) & Duty.split
        if isWrite { transaction.store(UInt8(SQLITE_TXN_WRITE), ordering: .relaxed) }
        duties.store(
            isSplit | (isWrite ? 0 : Duty.transaction | Duty.upgrade),
            ordering: .relaxed
        )
        if isSplit != 0 { enter(.closure) }
    }

    @inline(__always)
    func didResumeTransaction() {
        guard isEnabled else { return }
        let isSplit = duties.load(ordering: .relaxed) & Duty.split
        duties.store(isSplit | Duty.upgrade, ordering: .relaxed)
    }

    @inline(__always)
    func willEndTransaction() {
        if duties.load(ordering: .relaxed) & Duty.split != 0 { enter(.committing) }
    }

    @inline(__always)
    func didEndTransaction() {
        guard isEnabled else { return }
        transaction.store(UInt8(SQLITE_TXN_NONE), ordering: .relaxed)
        let isSplit = duties.load(ordering: .relaxed) & Duty.split
        duties.store(isSplit | Duty.atStart, ordering: .relaxed)
        if isSplit != 0 { enter(.closure) }
    }

    /// Runs and measures the commit of a write transaction.
    @inline(__always)
    func commit<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard isEnabled else { return try body() }
        let start = monotonicNanoseconds()
        set(.committing)
        willEndTransaction()
        defer {
            set(.held)
            if duties.load(ordering: .relaxed) & Duty.split != 0 { enter(.closure) }
            times.commits.record(monotonicNanoseconds() &- start)
        }
        return try body()
    }

    /// Updates the transaction state after a statement that may have started or ended a
    /// transaction.
    @discardableResult
    func updateTransactionState(of handle: OpaquePointer?) -> CInt {
        let state = UInt8(truncatingIfNeeded: max(0, sqlite3_txn_state(handle, nil)))
        let before = transaction.load(ordering: .relaxed)
        transaction.store(state, ordering: .relaxed)
        if before == UInt8(SQLITE_TXN_NONE), state != before, let walIndex {
            positionAfter.store(WALPosition(walIndex).word, ordering: .relaxed)
        }
        let duties = duties.load(ordering: .relaxed)
        guard duties & Duty.loose == 0 else { return CInt(state) }
        var settled: UInt8 = 0
        if state >= UInt8(SQLITE_TXN_READ) { settled |= Duty.transaction }
        if state >= UInt8(SQLITE_TXN_WRITE) { settled |= Duty.upgrade }
        self.duties.store(duties & ~settled, ordering: .relaxed)
        return CInt(state)
    }

    /// Records that the access's transaction has started to read.
    func didBeginToRead() {
        let duties = duties.load(ordering: .relaxed)
        guard duties & Duty.transaction != 0 else { return }
        transaction.store(UInt8(SQLITE_TXN_READ), ordering: .relaxed)
        if let walIndex {
            positionAfter.store(WALPosition(walIndex).word, ordering: .relaxed)
        }
        self.duties.store(duties & ~Duty.transaction, ordering: .relaxed)
    }

    var transactionState: TransactionState? {
        guard isEnabled else { return nil }
        switch CInt(transaction.load(ordering: .relaxed)) {
        case SQLITE_TXN_WRITE: return .write
        case SQLITE_TXN_READ: return .read
        default: return TransactionState.none
        }
    }
}
