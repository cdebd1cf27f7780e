import CSQLite
import Synchronization
import Telemetry

/// The state of a connection that other threads may read while the connection is in use.
///
/// The thread that holds the connection writes the fields, and any thread reads them. Each field is
/// a separate atomic with relaxed ordering. A status may therefore combine values from slightly
/// different times, but no thread ever waits.
///
/// `@unchecked Sendable`: only the connection's holder uses the unchecked properties.
final class ConnectionProbe: @unchecked Sendable {
    enum Activity: UInt8 {
        case idle
        case opening
        case held
        case committing
    }

    /// Flags for the holder's additional work.
    ///
    /// A single test of this byte detects any additional work.
    enum Duty {
        /// The probe splits the access's time into phases.
        static let split: UInt8 = 1
        /// The next step may start a transaction.
        static let transaction: UInt8 = 2
        /// The next step that writes may start a write transaction.
        static let upgrade: UInt8 = 4
        /// The transaction does not belong to the access, so any statement may end the transaction.
        static let loose: UInt8 = 8
        /// The probe reads the state of the write-ahead log when the access ends.
        static let log: UInt8 = 16

        static let atStart = transaction | upgrade | loose
    }

    let isEnabled: Bool
    let label: String
    let times: AccessTimes
    let events: EventHub

    let activity = Atomic<UInt8>(0)
    /// The time of the acquisition in nanoseconds, or 0 while no access holds the connection.
    let heldSince = Atomic<UInt64>(0)
    let site = Atomic<UInt64>(0)
    let accesses = Atomic<UInt64>(0)
    let heldTotal = Atomic<UInt64>(0)
    let holdTimes = AtomicHistogram()
    /// The number of the statement that is inside `sqlite3_step`, or 0.
    let runningStatement = Atomic<UInt64>(0)
    /// The number of the access's last statement to enter `sqlite3_step`, or 0.
    let lastStatement = Atomic<UInt64>(0)
    /// The number of steps, which distinguishes one long step from two short steps in a status.
    let steps = Atomic<UInt64>(0)
    let isWaitingForLock = Atomic<Bool>(false)
    /// The number of encountered locks.
    let busyTotal = Atomic<UInt64>(0)
    /// The number of failures because of a lock for which SQLite did not call the busy handler.
    let busyUpgrades = Atomic<UInt64>(0)
    /// The time spent waiting for locks of other connections, in nanoseconds.
    let busyWait = Atomic<UInt64>(0)
    /// The value of `steps` when the connection last encountered a lock.
    ///
    /// If that step then fails because of a lock, the probe does not count the lock again.
    let lockStep = Atomic<UInt64>(.max)
    /// The busy handler's calls since the last failure caused by a lock.
    let lockWait = Lock(LockWait())
    let interrupts = Atomic<UInt64>(0)
    let interruptRequest = Lock(InterruptRequest())
    let statements = StatementRegister()
    let sighting = Lock<Sighting>(Sighting())
    /// The connection's lock handling, which SQLite's busy callback uses.
    let busyMode = Lock<Database.BusyMode>(.immediateError)
    /// The retry policy for locks of the same pool's readers, on a pool's writer only.
    let readerLockRetry = Lock<ReaderLockRetryPolicy?>(nil)
    /// A lock that the writer has encountered and that one of these readers may hold.
    let encounteredLock = Lock(ReaderLockRetryPolicy.EncounteredLock())

    /// The transaction state as a result of `sqlite3_txn_state`.
    let transaction = Atomic<UInt8>(UInt8(SQLITE_TXN_NONE))
    /// The end of the log before the transaction started, as a ``WALPosition``.
    ///
    /// The transaction reads a state between this position and ``positionAfter``.
    let positionBefore = Atomic<UInt64>(0)
    /// The end of the log after the transaction's first statement, as a ``WALPosition``.
    let positionAfter = Atomic<UInt64>(0)

    /// The last access that a status observed before the access read a database state.
    ///
    /// If this access reads a state later, it has acquired that state after ``unreadAt``. Accesses
    /// therefore do not need to read a clock for this purpose.
    let unreadAccess = Atomic<UInt64>(0)
    /// The time at which a status last observed that access without a state, in nanoseconds.
    let unreadAt = Atomic<UInt64>(0)

    let duties: Atomic<UInt8>
    /// The number of accesses until the next access whose time is split into phases.
    let countdown: Atomic<UInt32>
    /// Only the connection's holder may use this state.
    @exclusivity(unchecked) var splitState: SplitState
    /// The clock of the accesses whose time is not split.
    ///
    /// Only the connection's holder may use it.
    @exclusivity(unchecked) var clock = TickClock()
    /// The number of the connection's statements that have been stepped but not reset.
    ///
    /// The number is too large if a statement was finalized, or reset through the C interface. Only
    /// the connection's holder may use this property.
    @exclusivity(unchecked) var unfinishedCount = 0
    /// The wal-index in memory while the connection is open in WAL mode.
    @exclusivity(unchecked) var walIndex: UnsafeRawPointer?
    private let standingDuties = Atomic<UInt8>(0)
    /// The watch that records the log's events, for connections that write.
    private let watch = Lock<WALWatch?>(nil)

    init(
        level: Configuration.ProbeLevel,
        label: String = "",
        times: AccessTimes? = nil,
        events: EventHub = EventHub()
    ) {
        isEnabled = level != .off
        duties = Atomic(level == .off ? 0 : Duty.atStart)
        self.label = label
        self.times = times ?? AccessTimes(level: level)
        self.events = events
        var splitState = SplitState(interval: self.times.interval)
        countdown = Atomic(splitState.nextCountdown())
        self.splitState = splitState
    }

    // MARK: Recording accesses

    @inline(__always)
    func beginAccess(_ site: AccessSite) {
        guard isEnabled else { return }
        self.site.store(site.word, ordering: .relaxed)
        lastStatement.store(0, ordering: .relaxed)
        accesses.store(accesses.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        activity.store(Activity.held.rawValue, ordering: .relaxed)
        duties.store(Duty.atStart, ordering: .relaxed)
        let remaining = countdown.load(ordering: .relaxed) &- 1
        countdown.store(remaining, ordering: .relaxed)
        if remaining == 0 {
            let now = monotonicNanoseconds()
            heldSince.store(now, ordering: .relaxed)
            beginSplit(site, at: now)
        } else {
            heldSince.store(clock.now(), ordering: .relaxed)
        }
    }

    /// Records the start of opening the connection.
    ///
    /// The access that needs the connection starts later.
    func beginOpening(_ site: AccessSite) {
        guard isEnabled else { return }
        self.site.store(site.word, ordering: .relaxed)
        lastStatement.store(0, ordering: .relaxed)
        activity.store(Activity.opening.rawValue, ordering: .relaxed)
        duties.store(Duty.atStart, ordering: .relaxed)
        heldSince.store(monotonicNanoseconds(), ordering: .relaxed)
    }

    /// Records the end of opening the connection.
    ///
    /// The slot was in use while the connection was opening, so this time is part of the total.
    func endOpening(succeeded: Bool) {
        guard isEnabled else { return }
        let since = heldSince.load(ordering: .relaxed)
        heldSince.store(0, ordering: .relaxed)
        activity.store(Activity.idle.rawValue, ordering: .relaxed)
        let held = monotonicNanoseconds() &- since
        heldTotal.store(heldTotal.load(ordering: .relaxed) &+ held, ordering: .relaxed)
        let site = AccessSite(word: site.load(ordering: .relaxed))
        if succeeded { recordOpening(held, for: site) } else { splitState.pending = nil }
    }

    /// Records the end of an access.
    ///
    /// - Parameter end: The time on ``clock`` if the caller has just read it; otherwise, 0.
    @inline(__always)
    func endAccess(at end: UInt64 = 0) {
        guard isEnabled else { return }
        let since = heldSince.load(ordering: .relaxed)
        heldSince.store(0, ordering: .relaxed)
        activity.store(Activity.idle.rawValue, ordering: .relaxed)
        guard since != 0 else { return }
        let duties = duties.load(ordering: .relaxed) | standingDuties.load(ordering: .relaxed)
        // Both ends of an access are times on the same clock.
        let now: UInt64
        if duties & Duty.split != 0 {
            now = monotonicNanoseconds()
        } else {
            now = max(since, end != 0 ? end : clock.now())
        }
        let held = now &- since
        heldTotal.store(heldTotal.load(ordering: .relaxed) &+ held, ordering: .relaxed)
        holdTimes.recordExclusively(held)
        if duties & (Duty.split | Duty.log) != 0
            || held >= events.limit.load(ordering: .relaxed)
        {
            endAccessWithDuties(held: held, at: now, duties)
        }
    }

    @inline(never)
    private func endAccessWithDuties(held: UInt64, at now: UInt64, _ duties: UInt8) {
        let waited = duties & Duty.split != 0 ? endSplit(at: now) : 0
        self.duties.store(Duty.atStart, ordering: .relaxed)
        let site = AccessSite(word: site.load(ordering: .relaxed))
        if duties & Duty.log != 0, let log = walState, let watch = watch.withLock({ $0 }) {
            watch.accessDidEnd(site, log: log, at: now)
        }
        if held &+ waited >= events.limit.load(ordering: .relaxed) {
            events.emit(
                label,
                .slowAccess(
                    by: site.origin ?? AccessOrigin(name: label),
                    waited: waited,
                    held: held
                )
            )
        }
    }

    /// Records a checkpoint that the holder requested.
    func didCheckpoint(mode: String) {
        guard let log = walState, let watch = watch.withLock({ $0 }) else { return }
        watch.didCheckpoint(mode: mode, log, at: monotonicNanoseconds())
    }

    @inline(__always)
    func set(_ activity: Activity) {
        guard isEnabled else { return }
        self.activity.store(activity.rawValue, ordering: .relaxed)
    }

    @inline(__always)
    func beginStep(_ number: UInt64) {
        steps.store(steps.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        lastStatement.store(number, ordering: .relaxed)
        runningStatement.store(number, ordering: .relaxed)
        if duties.load(ordering: .relaxed) & Duty.split != 0 { beginCall() }
    }

    @inline(__always)
    func endStep(of statement: Statement) {
        runningStatement.store(0, ordering: .relaxed)
        let relevant =
            statement.isReadonly
            ? Duty.split | Duty.transaction : Duty.split | Duty.transaction | Duty.upgrade
        let duties = duties.load(ordering: .relaxed)
        if duties & relevant != 0 { endStepWithDuties(statement, duties: duties) }
    }

    @inline(never)
    private func endStepWithDuties(_ statement: Statement, duties: UInt8) {
        if duties & Duty.split != 0 { endCall(of: statement.number) }
        if duties & Duty.loose == 0, statement.beginsRead, statement.isReadonly {
            didBeginToRead()
        } else {
            let before = CInt(transaction.load(ordering: .relaxed))
            let state = updateTransactionState(of: sqlite3_db_handle(statement.pointer))
            // Whether a prepared statement starts a read does not depend on its arguments.
            if before == SQLITE_TXN_NONE, state == SQLITE_TXN_READ { statement.beginsRead = true }
        }
    }

    /// Records that a statement was reset, which ends its execution.
    @inline(__always)
    func didReset(_ number: UInt64, statement: OpaquePointer) {
        let duties = duties.load(ordering: .relaxed)
        if duties & (Duty.split | Duty.loose) != 0 {
            didResetWithDuties(number, statement: statement, duties: duties)
        }
    }

    @inline(never)
    private func didResetWithDuties(_ number: UInt64, statement: OpaquePointer, duties: UInt8) {
        if duties & Duty.split != 0 { endExecution(of: number) }
        guard duties & Duty.loose != 0 else { return }
        updateTransactionState(of: sqlite3_db_handle(statement))
    }

    /// Registers a statement's SQL, and returns the number to pass to ``beginStep(_:)``.
    func register(sql: String) -> UInt64 { statements.add(sql: sql) }

    func unregister(_ number: UInt64) {
        statements.remove(number, isLast: { number == lastStatement.load(ordering: .relaxed) })
    }

    // MARK: The write-ahead log

    var walState: WALState? { walIndex.flatMap(WALState.init) }

    /// Starts to record the log's state at the end of each access.
    func observeLog(_ watch: WALWatch) {
        self.watch.withLock { $0 = watch }
        standingDuties.store(Duty.log, ordering: .relaxed)
    }

    func willClose() {
        walIndex = nil
        transaction.store(UInt8(SQLITE_TXN_NONE), ordering: .relaxed)
        events.emit(label, .connectionClosed)
    }
}

/// The SQL of a connection's statements by number, for ``DatabaseStatus``.
final class StatementRegister: Sendable {
    private struct State {
        var next: UInt64 = 1
        var sql: [UInt64: String] = [:]
        /// The last statement to run, if it has since been finalized.
        var finalized: (number: UInt64, sql: String)?
    }

    private let state = Lock(State())

    /// Adds a statement.
    ///
    /// - Returns: The statement's number, which is never 0.
    func add(sql: String) -> UInt64 {
        state.withLock { state in
            defer { state.next += 1 }
            state.sql[state.next] = sql
            return state.next
        }
    }

    /// Removes a statement that is being finalized.
    ///
    /// - Parameters:
    ///   - number: The number of the statement.
    ///   - isLast: A function that returns whether this statement was the last to run.
    func remove(_ number: UInt64, isLast: () -> Bool) {
        state.withLock { state in
            let sql = state.sql.removeValue(forKey: number)
            if let sql, isLast() { state.finalized = (number, sql) }
        }
    }

    var allSQL: Set<String> { state.withLock { Set($0.sql.values) } }

    /// The SQL of a statement, or `nil` if the statement was removed.
    subscript(number: UInt64) -> String? {
        state.withLock { state in
            if let finalized = state.finalized, finalized.number == number {
                return finalized.sql
            }
            return state.sql[number]
        }
    }
}

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
