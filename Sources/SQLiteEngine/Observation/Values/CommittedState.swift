import CSQLite

/// A committed state of a database in WAL mode, identified by the header of its wal-index.
///
/// The header changes with each commit by any process (https://sqlite.org/walformat.html, section
/// 2.1).
struct CommittedState {
    fileprivate var header = poolgauge_wal_header()

    fileprivate init() {}

    /// Reads the state from a wal-index, or returns `nil` if the wal-index is being changed.
    init?(of walIndex: UnsafeRawPointer) {
        guard poolgauge_wal_header_read(walIndex, &header) != 0 else { return nil }
    }

    /// Returns whether no transaction has committed since the state was read.
    func isLast(in walIndex: UnsafeRawPointer) -> Bool {
        withUnsafePointer(to: header) { poolgauge_wal_header_is(walIndex, $0) } != 0
    }
}

extension Database {
    /// The committed state that the open read transaction reads, or an earlier state.
    ///
    /// Read this property before the transaction's first statement. The value is `nil` if the state
    /// is unknown.
    var committedState: CommittedState? {
        var state = CommittedState()
        try? confirmReadState()
        if isInsideTransaction, kept.pointee.hasHeader {
            // Use the header that was read before the transaction started, possibly several
            // accesses ago.
            state.header = kept.pointee.header
            return state
        }
        // In autocommit mode, an unfinished statement may read an earlier state.
        guard sqlite3_txn_state(handle, "main") == SQLITE_TXN_NONE, let walIndex = probe.walIndex
        else { return nil }
        return CommittedState(of: walIndex)
    }

    func isInLastCommittedState(_ state: CommittedState?) -> Bool {
        guard let state, let walIndex = probe.walIndex else { return false }
        return state.isLast(in: walIndex)
    }

    /// Records the last committed state for a transaction that has started but has not read yet.
    ///
    /// The transaction will read this state or a later state. If the transaction has already read,
    /// this method has no effect.
    func recordStateBeforeTransaction() {
        guard sqlite3_txn_state(handle, "main") == SQLITE_TXN_NONE else { return }
        kept.pointee.willBegin()
    }
}
