import Telemetry

/// Collects the transactions of a history while sessions run them.
///
/// All methods may be called from any thread.
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
    ///   - clock: The clock of all sessions, in nanoseconds; by default, the system's monotonic
    ///     clock, which all processes share.
    ///   - onProgress: Called with a transaction before it commits, with an unknown outcome, and
    ///     when it ends. A process that may be killed uses it to report its transactions.
    package init(
        clock: @escaping @Sendable () -> UInt64 = { monotonicNanoseconds() },
        onProgress: (@Sendable (HistoryTransaction) -> Void)? = nil
    ) {
        self.clock = clock
        self.onProgress = onProgress
    }

    /// Adds a session.
    ///
    /// - Parameter name: Its name in explanations.
    /// - Returns: Its index in ``History/sessions``.
    package func addSession(_ name: String) -> Int {
        state.withLock { state in
            state.history.sessions.append(name)
            state.counts.append(0)
            return state.history.sessions.count - 1
        }
    }

    /// Starts a transaction.
    ///
    /// Call this immediately before the access.
    ///
    /// - Parameters:
    ///   - access: The access in explanations, such as "read".
    ///   - session: The index of its session.
    /// - Returns: The transaction, which becomes part of the history when it ends.
    package func begin(_ access: String, in session: Int) -> RecordedTransaction {
        let number = state.withLock { state in
            state.counts[session] += 1
            return state.counts[session]
        }
        return RecordedTransaction(self, access: access, session: session, number: number)
    }

    /// Adds another history's sessions and transactions, for example from another process.
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

    /// The transactions that have ended.
    package var history: History { state.withLock { $0.history } }

    /// Removes the transactions that have ended.
    ///
    /// Sessions keep their numbers.
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
/// All methods may be called from any thread.
package final class RecordedTransaction: Sendable {
    private struct State {
        var start: UInt64
        var operations: [HistoryOperation] = []
        /// The time after which the transaction cannot observe newer states.
        var observed: UInt64?
        /// The time before which its writes cannot be visible.
        var committing: UInt64?
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

    /// Records that the transaction has observed nothing so far.
    ///
    /// Call this before the first statement if the transaction does not observe the database
    /// earlier.
    package func willObserve() {
        let now = recorder.now()
        state.withLock { $0.start = now }
    }

    /// Adds an operation that has succeeded.
    ///
    /// The first operation determines the latest state that the transaction can observe.
    package func add(_ operation: HistoryOperation) {
        let now = recorder.now()
        state.withLock { state in
            state.operations.append(operation)
            state.observed = state.observed ?? now
        }
    }

    /// Records that the transaction observes no state newer than the current one, for example
    /// because its snapshot is complete.
    package func fixState() {
        let now = recorder.now()
        state.withLock { $0.observed = $0.observed ?? now }
    }

    /// Records the start of the commit.
    ///
    /// Call this at the end of the closure that writes.
    package func willCommit() {
        let now = recorder.now()
        let state = state.withLock { state in
            state.committing = now
            return state
        }
        recorder.report(transaction(state, .unknown, at: .max))
    }

    /// Whether the commit has started.
    ///
    /// If it fails, its outcome may be unknown.
    package var isCommitting: Bool { state.withLock { $0.committing != nil } }

    /// Ends the transaction and adds it to the history.
    ///
    /// Call this when the access has returned.
    ///
    /// Calls after the first have no effect.
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
        // effect when it first observes the database.
        let takesEffectAtCommit = outcome != .aborted && state.operations.contains(where: \.isWrite)
        return HistoryTransaction(
            session: session,
            number: number,
            access: access,
            begin: takesEffectAtCommit ? state.committing ?? state.start : state.start,
            end: takesEffectAtCommit ? end : state.observed ?? end,
            outcome: outcome,
            operations: state.operations
        )
    }
}
