import Telemetry

/// A recorder that collects the transactions of a history while sessions run them.
///
/// Any thread may call these methods.
package final class HistoryRecorder: Sendable {
    private struct State {
        var history = History()
        /// The number of transactions that each session has started.
        var counts: [Int] = []
    }

    private let state = Lock(State())
    private let clock: @Sendable () -> UInt64
    private let onProgress: (@Sendable (HistoryTransaction) -> Void)?

    /// Creates a recorder with an empty history.
    ///
    /// - Parameters:
    ///   - clock: A clock that all sessions share, in nanoseconds. Defaults to the system's
    ///     monotonic clock, which all processes share.
    ///   - onProgress: A function that receives each transaction before its commit, with an unknown
    ///     outcome, and again when the transaction ends. A process that may be killed uses this
    ///     function to report its transactions.
    package init(
        clock: @escaping @Sendable () -> UInt64 = { monotonicNanoseconds() },
        onProgress: (@Sendable (HistoryTransaction) -> Void)? = nil
    ) {
        self.clock = clock
        self.onProgress = onProgress
    }

    /// Adds a session.
    ///
    /// - Parameter name: The session's name in explanations.
    /// - Returns: The session's index in ``History/sessions``.
    package func addSession(_ name: String) -> Int {
        state.withLock { state in
            state.history.sessions.append(name)
            state.counts.append(0)
            return state.history.sessions.count - 1
        }
    }

    /// Starts a transaction.
    ///
    /// Call this method immediately before the access.
    ///
    /// - Parameters:
    ///   - access: The kind of access in explanations, such as "read".
    ///   - session: The index of the transaction's session.
    /// - Returns: The transaction, which becomes part of the history when it ends.
    package func begin(_ access: String, in session: Int) -> RecordedTransaction {
        let number = state.withLock { state in
            state.counts[session] += 1
            return state.counts[session]
        }
        return RecordedTransaction(self, access: access, session: session, number: number)
    }

    /// Adds the sessions and transactions of another history, for example from another process.
    package func add(_ other: History) {
        state.withLock { state in
            let offset = state.history.sessions.count
            state.history.sessions += other.sessions
            state.counts += other.sessions.map { _ in 0 }
            state.history.transactions += other.transactions.map { transaction in
                var transaction = transaction
                transaction.session += offset
                return transaction
            }
        }
    }

    /// The sessions and the transactions that have ended.
    package var history: History { state.withLock { $0.history } }

    /// Removes the transactions that have ended.
    ///
    /// Session indices and transaction numbers stay the same.
    package func removeAll() { state.withLock { $0.history.transactions = [] } }

    fileprivate func now() -> UInt64 { clock() }

    fileprivate func add(_ transaction: HistoryTransaction) {
        state.withLock { $0.history.transactions.append(transaction) }
        onProgress?(transaction)
    }

    fileprivate func report(_ transaction: HistoryTransaction) { onProgress?(transaction) }
}

/// A running transaction.
///
/// Any thread may call these methods.
package final class RecordedTransaction: Sendable {
    private struct State {
        var start: UInt64
        var operations: [HistoryOperation] = []
        /// The time after which the transaction cannot read newer states.
        var observationTime: UInt64?
        /// The time before which the transaction's writes cannot be visible.
        var commitTime: UInt64?
        var hasEnded = false
    }

    private let recorder: HistoryRecorder
    private let access: String
    private let session: Int
    private let number: Int
    private let state: Lock<State>

    fileprivate init(_ recorder: HistoryRecorder, access: String, session: Int, number: Int) {
        self.recorder = recorder
        self.access = access
        self.session = session
        self.number = number
        state = Lock(State(start: recorder.now()))
    }

    /// Records that the transaction has not read anything yet.
    ///
    /// Call this method before the first statement, unless the transaction reads the database
    /// earlier.
    package func willObserve() {
        let now = recorder.now()
        state.withLock { $0.start = now }
    }

    /// Adds a successful operation.
    ///
    /// The first operation determines the latest state that the transaction can read.
    package func add(_ operation: HistoryOperation) {
        let now = recorder.now()
        state.withLock { state in
            state.operations.append(operation)
            state.observationTime = state.observationTime ?? now
        }
    }

    /// Records that the transaction cannot read a state newer than the current one.
    ///
    /// For example, call this method when the transaction's snapshot is complete.
    package func didObserve() {
        let now = recorder.now()
        state.withLock { $0.observationTime = $0.observationTime ?? now }
    }

    /// Records that the commit is starting.
    ///
    /// Call this method at the end of the write closure.
    package func willCommit() {
        let now = recorder.now()
        let state = state.withLock { state in
            state.commitTime = now
            return state
        }
        recorder.report(transaction(state, .unknown, at: .max))
    }

    /// Whether the commit has started.
    ///
    /// If the commit fails, the outcome of the transaction may be unknown.
    package var isCommitting: Bool { state.withLock { $0.commitTime != nil } }

    /// Ends the transaction and adds it to the history.
    ///
    /// Call this method after the access returns. Only the first call has an effect.
    package func end(_ outcome: HistoryTransaction.Outcome) {
        let now = recorder.now()
        let ended = state.withLock { state -> State? in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            return state
        }
        if let ended { recorder.add(transaction(ended, outcome, at: now)) }
    }

    private func transaction(
        _ state: State,
        _ outcome: HistoryTransaction.Outcome,
        at end: UInt64
    ) -> HistoryTransaction {
        // A transaction that writes takes effect when it commits. Any other transaction takes
        // effect when it first reads the database.
        let takesEffectAtCommit = outcome != .aborted && state.operations.contains(where: \.isWrite)
        return HistoryTransaction(
            session: session,
            number: number,
            access: access,
            begin: takesEffectAtCommit ? state.commitTime ?? state.start : state.start,
            end: takesEffectAtCommit ? end : state.observationTime ?? end,
            outcome: outcome,
            operations: state.operations
        )
    }
}
