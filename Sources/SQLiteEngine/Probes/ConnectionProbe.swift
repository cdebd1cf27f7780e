import CSQLite
import Synchronization
import Telemetry

/// The state of a connection that other threads may read while the connection is in use.
///
/// The thread that holds the connection writes the fields, and any thread reads them. Each field is
/// a separate atomic with relaxed ordering. A status may therefore combine values from slightly
/// different times, but no thread ever waits.
///
/// `@unchecked Sendable`: `splitState` and `walIndex` belong to the holder of the connection.
final class ConnectionProbe: @unchecked Sendable {
    /// The activity of the holder between statements.
    enum Activity: UInt8 {
        case idle
        case opening
        case held
        case committing
    }

    /// Flags for the holder's additional work.
    ///
    /// A test of one byte shows whether any work is required.
    enum Duty {
        /// The time of this access is split into phases.
        static let split: UInt8 = 1
        /// The next step may start a transaction.
        static let transaction: UInt8 = 2
        /// The next step that writes may start a write transaction.
        static let upgrade: UInt8 = 4
        /// The transaction does not belong to the access, so any statement may end it.
        static let loose: UInt8 = 8
        /// The probe must read the state of the write-ahead log when the access ends.
        static let log: UInt8 = 16

        /// The duties at the start of an access, before its transaction starts.
        static let atStart = transaction | upgrade | loose
    }

    let isEnabled: Bool
    let label: String
    let times: AccessTimes
    let events: EventHub

    let activity = Atomic<UInt8>(0)
    /// When the connection was acquired, in nanoseconds, or 0 if it is not held.
    let heldSince = Atomic<UInt64>(0)
    let site = Atomic<UInt64>(0)
    let accesses = Atomic<UInt64>(0)
    /// The number of accesses that are not part of a measured load; see
    /// ``AccessLabel/uncounted``.
    let uncounted = Atomic<UInt64>(0)
    let heldTotal = Atomic<UInt64>(0)
    let holdTimes = AtomicHistogram()
    /// The number of the statement that is inside `sqlite3_step`, or 0.
    let running = Atomic<UInt64>(0)
    /// The number of the statement that ran last.
    let last = Atomic<UInt64>(0)
    /// The number of steps, which distinguishes one long step from two short steps in a status.
    let steps = Atomic<UInt64>(0)
    let isWaitingForLock = Atomic<Bool>(false)
    let busy = Atomic<UInt64>(0)
    let busyWait = Atomic<UInt64>(0)
    /// The value of `steps` when the connection last encountered a lock.
    ///
    /// If that step then fails because of a lock, the lock is not counted again.
    let lockStep = Atomic<UInt64>(.max)
    /// The busy handler's calls since the last failure caused by a lock.
    let lockWait = Lock(LockWait())
    let interrupts = Atomic<UInt64>(0)
    /// The first request to interrupt the running statement.
    let interruptRequest = Lock(InterruptRequest())
    let statements = StatementRegister()
    let sighting = Lock<Sighting>(Sighting())
    /// The connection's lock handling, which is set when the connection opens and is used by
    /// SQLite's callback.
    let busyMode = Lock<Database.BusyMode>(.immediateError)
    /// The readers of the same pool.
    ///
    /// This value is set only on the writer.
    let ownReaders = Lock<OwnReaders?>(nil)
    /// A lock that the writer has encountered and that one of these readers may hold.
    let encounteredLock = Lock(OwnReaders.EncounteredLock())

    /// The state of the transaction, as a result of `sqlite3_txn_state`.
    let transaction = Atomic<UInt8>(UInt8(SQLITE_TXN_NONE))
    /// The end of the log before the transaction started.
    ///
    /// The state that the transaction reads lies between this position and ``positionAfter``. See
    /// ``WALPosition``.
    let positionBefore = Atomic<UInt64>(0)
    /// The end of the log after the first statement of the transaction.
    let positionAfter = Atomic<UInt64>(0)

    /// The last access that a status observed before the access read a state of the database.
    ///
    /// If the access reads a state now, it has acquired this state after ``unreadAt``. Accesses
    /// therefore do not need to read a clock for this purpose.
    let unreadAccess = Atomic<UInt64>(0)
    /// When a status last observed that access without a state, in nanoseconds.
    let unreadAt = Atomic<UInt64>(0)

    let duties: Atomic<UInt8>
    /// The number of accesses until the next access whose time is split.
    let countdown: Atomic<UInt32>
    /// The state for splitting the time of an access.
    ///
    /// Only the connection's holder may use it.
    let splitState: UnsafeMutablePointer<SplitState>
    /// The wal-index in memory while the connection is open in WAL mode.
    private let index: UnsafeMutablePointer<UnsafeRawPointer?>
    /// The duties of every access.
    private let standingDuties = Atomic<UInt8>(0)
    /// Records the log's events, for connections that write.
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
        splitState = .allocate(capacity: 1)
        splitState.initialize(to: SplitState(interval: self.times.interval))
        countdown = Atomic(splitState.pointee.nextCountdown())
        index = .allocate(capacity: 1)
        index.initialize(to: nil)
    }

    deinit {
        splitState.deinitialize(count: 1)
        splitState.deallocate()
        index.deallocate()
    }

    // MARK: The holder's side

    /// Records the start of an access.
    @inline(__always)
    func beginAccess(_ site: AccessSite) {
        guard isEnabled else { return }
        self.site.store(site.word, ordering: .relaxed)
        last.store(0, ordering: .relaxed)
        accesses.store(accesses.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        if site.isUncounted {
            uncounted.store(uncounted.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        }
        activity.store(Activity.held.rawValue, ordering: .relaxed)
        duties.store(Duty.atStart, ordering: .relaxed)
        let now = monotonicNanoseconds()
        heldSince.store(now, ordering: .relaxed)
        let left = countdown.load(ordering: .relaxed) &- 1
        countdown.store(left, ordering: .relaxed)
        if left == 0 { beginSplit(site, at: now) }
    }

    /// Records that the connection is being opened for an access, which starts later.
    func beginOpening(_ site: AccessSite) {
        guard isEnabled else { return }
        self.site.store(site.word, ordering: .relaxed)
        last.store(0, ordering: .relaxed)
        activity.store(Activity.opening.rawValue, ordering: .relaxed)
        duties.store(Duty.atStart, ordering: .relaxed)
        heldSince.store(monotonicNanoseconds(), ordering: .relaxed)
    }

    /// Records that the connection is open or could not be opened.
    ///
    /// The slot was in use in the meantime, so this time is part of the total.
    func endOpening(succeeded: Bool) {
        guard isEnabled else { return }
        let since = heldSince.load(ordering: .relaxed)
        heldSince.store(0, ordering: .relaxed)
        activity.store(Activity.idle.rawValue, ordering: .relaxed)
        let held = monotonicNanoseconds() &- since
        heldTotal.store(heldTotal.load(ordering: .relaxed) &+ held, ordering: .relaxed)
        let site = AccessSite(word: site.load(ordering: .relaxed))
        if succeeded { recordOpening(held, for: site) } else { splitState.pointee.pending = nil }
    }

    /// Records the end of an access.
    ///
    /// - Parameter end: The time on the monotonic clock if the caller has just read it; otherwise,
    ///   0.
    @inline(__always)
    func endAccess(at end: UInt64 = 0) {
        guard isEnabled else { return }
        let since = heldSince.load(ordering: .relaxed)
        heldSince.store(0, ordering: .relaxed)
        activity.store(Activity.idle.rawValue, ordering: .relaxed)
        guard since != 0 else { return }
        let now = end != 0 ? end : monotonicNanoseconds()
        let held = now &- since
        if !AccessSite(word: site.load(ordering: .relaxed)).isUncounted {
            heldTotal.store(heldTotal.load(ordering: .relaxed) &+ held, ordering: .relaxed)
            holdTimes.recordExclusively(held)
        }
        let duties = duties.load(ordering: .relaxed) | standingDuties.load(ordering: .relaxed)
        if duties & (Duty.split | Duty.log) != 0
            || held >= events.limit.pointee.load(ordering: .relaxed)
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
            watch.accessDidEnd(site, log, at: now)
        }
        if held &+ waited >= events.limit.pointee.load(ordering: .relaxed) {
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

    /// Records the current activity of the holder.
    @inline(__always)
    func set(_ activity: Activity) {
        guard isEnabled else { return }
        self.activity.store(activity.rawValue, ordering: .relaxed)
    }

    /// Records the start of a step.
    @inline(__always)
    func beginStep(_ number: UInt64) {
        steps.store(steps.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        last.store(number, ordering: .relaxed)
        running.store(number, ordering: .relaxed)
        if duties.load(ordering: .relaxed) & Duty.split != 0 { beginCall() }
    }

    /// Records the end of a step.
    @inline(__always)
    func endStep(of statement: Statement) {
        running.store(0, ordering: .relaxed)
        let relevant =
            statement.isReadonly
            ? Duty.split | Duty.transaction : Duty.split | Duty.transaction | Duty.upgrade
        let duties = duties.load(ordering: .relaxed)
        if duties & relevant != 0 { endStepWithDuties(statement, duties) }
    }

    @inline(never)
    private func endStepWithDuties(_ statement: Statement, _ duties: UInt8) {
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

    /// Records the end of a statement's execution when the statement is reset.
    @inline(__always)
    func didReset(_ number: UInt64, _ statement: OpaquePointer) {
        let duties = duties.load(ordering: .relaxed)
        if duties & (Duty.split | Duty.loose) != 0 { didResetWithDuties(number, statement, duties) }
    }

    @inline(never)
    private func didResetWithDuties(_ number: UInt64, _ statement: OpaquePointer, _ duties: UInt8) {
        if duties & Duty.split != 0 { endExecution(of: number) }
        guard duties & Duty.loose != 0 else { return }
        updateTransactionState(of: sqlite3_db_handle(statement))
    }

    /// Registers the SQL of a statement and returns the number to pass to ``beginStep(_:)``.
    func register(sql: String) -> UInt64 { statements.add(sql: sql) }

    /// Removes a statement that is being finalized.
    func unregister(_ number: UInt64) {
        statements.remove(number, isLast: { number == last.load(ordering: .relaxed) })
    }

    // MARK: The write-ahead log

    /// The wal-index in memory.
    ///
    /// Only the connection's holder may use it.
    @inline(__always)
    var walIndex: UnsafeRawPointer? {
        get { index.pointee }
        set { index.pointee = newValue }
    }

    /// The current state of the log according to the wal-index.
    var walState: WALState? { walIndex.flatMap(WALState.init) }

    /// Starts to record the state of the log at the end of each access.
    func observeLog(_ watch: WALWatch) {
        self.watch.withLock { $0 = watch }
        standingDuties.store(Duty.log, ordering: .relaxed)
    }

    /// Records that the connection is about to close.
    func willClose() {
        walIndex = nil
        transaction.store(UInt8(SQLITE_TXN_NONE), ordering: .relaxed)
        events.emit(label, .connectionClosed)
    }
}
