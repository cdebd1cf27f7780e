import CSQLite

/// A committed state of a database in WAL mode, as the header of its wal-index names it.
///
/// The header changes with each commit of any process
/// (https://sqlite.org/walformat.html, section 2.1).
struct CommittedState {
    fileprivate var header = poolgauge_wal_header()

    /// Whether nothing was committed since the state was read.
    func isLast(in walIndex: UnsafeRawPointer) -> Bool {
        withUnsafePointer(to: header) { poolgauge_wal_header_is(walIndex, $0) } != 0
    }
}

extension Database {
    /// The committed state that the open read transaction shows, or one before it.
    ///
    /// To be asked before the transaction's first statement; nil where it cannot be known.
    var committedState: CommittedState? {
        var state = CommittedState()
        try? confirmReadState()
        if isInsideTransaction, kept.pointee.hasHeader {
            // From before the transaction began, perhaps some accesses ago.
            state.header = kept.pointee.header
            return state
        }
        guard let walIndex = probe.walIndex else { return nil }
        return poolgauge_wal_header_read(walIndex, &state.header) != 0 ? state : nil
    }

    /// Whether nothing was committed since a state was read.
    func isInLastCommittedState(_ state: CommittedState?) -> Bool {
        guard let state, let walIndex = probe.walIndex else { return false }
        return state.isLast(in: walIndex)
    }

    /// Records the last committed state where a transaction has begun that has not read yet: it
    /// will show this state or a later one.
    ///
    /// Where the transaction has read already, an earlier record remains.
    func recordStateBeforeTransaction() {
        guard sqlite3_txn_state(handle, "main") == SQLITE_TXN_NONE else { return }
        kept.pointee.willBegin()
    }
}
