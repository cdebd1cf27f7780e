import Telemetry

/// Collects the transactions of a history while sessions run them.
///
/// All methods may be called from any thread.
package final class HistoryRecorder: Sendable {
    private struct State {
        var history = History()
        /// How many transactions each session has begun.
        var counts: [Int] = []
    }

    private let state = Lock(State())
    private let clock: @Sendable () -> UInt64

    /// Creates a recorder of an empty history.
    ///
    /// - Parameter clock: The clock of all sessions, in nanoseconds. By default it is the system's
    ///   monotonic clock, which all processes share.
    package init(clock: @escaping @Sendable () -> UInt64 = { monotonicNanoseconds() }) {
        self.clock = clock
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

    /// Begins a transaction: call this immediately before the access.
    ///
    /// - Parameters:
    ///   - session: The index of its session.
    ///   - access: The access in explanations, such as "read".
    package func begin(_ access: String, in session: Int) -> RecordedTransaction {
        let number = state.withLock { state in
            state.counts[session] += 1
            return state.counts[session]
        }
        return RecordedTransaction(self, access: access, session: session, number: number)
    }

    /// Adds the sessions and the transactions of another history, such as another process's.
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

    /// Forgets the transactions that have ended; sessions keep their numbers.
    package func removeAll() { state.withLock { $0.history.transactions = [] } }

    fileprivate func now() -> UInt64 { clock() }

    fileprivate func add(_ transaction: HistoryTransaction) {
        state.withLock { $0.history.transactions.append(transaction) }
    }
}

/// A transaction that runs now.
///
/// All methods may be called from any thread.
package final class RecordedTransaction: Sendable {
    private struct State {
        var operations: [HistoryOperation] = []
        /// The moment from which on the transaction cannot observe anything newer.
        var observed: UInt64?
        /// The moment before which its writes cannot be visible.
        var committing: UInt64?
        var hasEnded = false
    }

    private let recorder: HistoryRecorder
    private let access: String
    private let session: Int
    private let number: Int
    private let start: UInt64
    private let state = Lock(State())

    fileprivate init(_ recorder: HistoryRecorder, access: String, session: Int, number: Int) {
        self.recorder = recorder
        self.access = access
        self.session = session
        self.number = number
        start = recorder.now()
    }

    /// Adds an operation that has succeeded. The first one fixes what the transaction can observe.
    package func add(_ operation: HistoryOperation) {
        let now = recorder.now()
        state.withLock { state in
            state.operations.append(operation)
            state.observed = state.observed ?? now
        }
    }

    /// Says that the transaction observes no state newer than the present one, such as when its
    /// snapshot is complete.
    package func fixState() {
        let now = recorder.now()
        state.withLock { $0.observed = $0.observed ?? now }
    }

    /// Says that the commit begins: call this at the end of the closure that writes.
    package func willCommit() {
        let now = recorder.now()
        state.withLock { $0.committing = now }
    }

    /// Ends the transaction, and adds it to the history: call this when the access has returned.
    ///
    /// Calls after the first one have no effect.
    package func end(_ outcome: HistoryTransaction.Outcome) {
        let now = recorder.now()
        let transaction = state.withLock { state -> HistoryTransaction? in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            // A transaction that writes takes effect when it commits; any other one when it first
            // observes the database.
            let takesEffectAtCommit =
                outcome != .aborted && state.operations.contains(where: \.isWrite)
            return HistoryTransaction(
                session: session,
                number: number,
                access: access,
                begin: takesEffectAtCommit ? state.committing ?? start : start,
                end: takesEffectAtCommit ? now : state.observed ?? now,
                outcome: outcome,
                operations: state.operations
            )
        }
        if let transaction { recorder.add(transaction) }
    }
}
