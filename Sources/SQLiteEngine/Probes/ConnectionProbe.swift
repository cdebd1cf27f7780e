import CSQLite
import Synchronization
import Telemetry

/// What others may see of a connection while it works.
///
/// The thread that holds the connection writes; any thread reads. Every field is an atomic of its
/// own with relaxed order: a status may mix two neighbouring moments, but neither side ever waits.
///
/// `@unchecked Sendable`: `close` and `walIndex` belong to whoever holds the connection.
final class ConnectionProbe: @unchecked Sendable {
    /// What the holder does between the statements.
    enum Activity: UInt8 {
        case idle
        case opening
        case held
        case committing
    }

    /// What the holder must do beyond the least, so that one test of a byte says "nothing".
    enum Duty {
        /// The time of this access is split.
        static let split: UInt8 = 1
        /// The next step may begin a transaction.
        static let transaction: UInt8 = 2
        /// The next step that writes may make it a write transaction.
        static let upgrade: UInt8 = 4
        /// The transaction is not the access's own: it may end with any statement.
        static let loose: UInt8 = 8
        /// The end of the access looks at the write-ahead log.
        static let log: UInt8 = 16

        /// At the start of an access, whose transaction has not begun.
        static let atStart = transaction | upgrade | loose
    }

    let isEnabled: Bool
    let label: String
    let times: AccessTimes
    let events: EventHub

    let activity = Atomic<UInt8>(0)
    /// Since when the connection is held, in nanoseconds; 0 when it is not.
    let heldSince = Atomic<UInt64>(0)
    let site = Atomic<UInt64>(0)
    let accesses = Atomic<UInt64>(0)
    let heldTotal = Atomic<UInt64>(0)
    let holdTimes = AtomicHistogram()
    /// The number of the statement that is inside `sqlite3_step`, or 0.
    let running = Atomic<UInt64>(0)
    /// The number of the statement that ran last.
    let last = Atomic<UInt64>(0)
    /// Counts the steps, so that two looks can tell one long step from two.
    let steps = Atomic<UInt64>(0)
    let isWaitingForLock = Atomic<Bool>(false)
    let busy = Atomic<UInt64>(0)
    let busyWait = Atomic<UInt64>(0)
    /// The value of `steps` when a lock was met last: if the step fails for it, that is the same
    /// meeting.
    let lockMetAt = Atomic<UInt64>(.max)
    let interrupts = Atomic<UInt64>(0)
    /// When the running statement was first asked to stop, and in which access.
    let interruptRequest = Lock(InterruptRequest())
    let statements = StatementRegister()
    let sighting = Lock<Sighting>(Sighting())
    /// How the connection meets locks; set while it is opened, kept for SQLite's callback.
    let busyMode = Lock<Database.BusyMode>(.immediateError)
    /// The readers of the same pool, on its writer.
    let ownReaders = Lock<OwnReaders?>(nil)
    /// How the writer waits for one of them.
    let lockMet = Lock(OwnReaders.Met())

    /// The transaction, as `sqlite3_txn_state` names it.
    let transaction = Atomic<UInt8>(UInt8(SQLITE_TXN_NONE))
    /// Where the log stood before the transaction began.
    ///
    /// Between this and ``positionAfter`` is the state that it reads. See ``WALPosition``.
    let positionBefore = Atomic<UInt64>(0)
    /// Where the log stood after the transaction's first statement.
    let positionAfter = Atomic<UInt64>(0)

    /// The access that a status last saw while it had no state to read.
    ///
    /// What it reads now it has read since ``unreadAt`` at most: no access looks at a clock for it.
    let unreadAccess = Atomic<UInt64>(0)
    /// When that was, in nanoseconds.
    let unreadAt = Atomic<UInt64>(0)

    let duties: Atomic<UInt8>
    /// How many accesses until the next whose time is split.
    let countdown: Atomic<UInt32>
    /// What only the holder of an access that is looked at closely uses.
    let close: UnsafeMutablePointer<CloseLook>
    /// The wal-index in memory, while the connection is open in WAL mode.
    private let index: UnsafeMutablePointer<UnsafeRawPointer?>
    /// The duties of every access.
    private let standing = Atomic<UInt8>(0)
    /// What happens to the log; for connections that write.
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
        close = .allocate(capacity: 1)
        close.initialize(to: CloseLook(interval: self.times.interval))
        countdown = Atomic(close.pointee.nextCountdown())
        index = .allocate(capacity: 1)
        index.initialize(to: nil)
    }

    deinit {
        close.deinitialize(count: 1)
        close.deallocate()
        index.deallocate()
    }

    // MARK: The holder's side

    /// An access begins.
    @inline(__always)
    func beginAccess(_ site: AccessSite) {
        guard isEnabled else { return }
        self.site.store(site.word, ordering: .relaxed)
        last.store(0, ordering: .relaxed)
        accesses.store(accesses.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        activity.store(Activity.held.rawValue, ordering: .relaxed)
        duties.store(Duty.atStart, ordering: .relaxed)
        let now = monotonicNanoseconds()
        heldSince.store(now, ordering: .relaxed)
        let left = countdown.load(ordering: .relaxed) &- 1
        countdown.store(left, ordering: .relaxed)
        if left == 0 { beginSplit(site, at: now) }
    }

    /// The connection is being opened for an access, which begins afterwards.
    func beginOpening(_ site: AccessSite) {
        guard isEnabled else { return }
        self.site.store(site.word, ordering: .relaxed)
        last.store(0, ordering: .relaxed)
        activity.store(Activity.opening.rawValue, ordering: .relaxed)
        duties.store(Duty.atStart, ordering: .relaxed)
        heldSince.store(monotonicNanoseconds(), ordering: .relaxed)
    }

    /// The connection is open, or could not be opened: its place was in use for that time.
    func endOpening(succeeded: Bool) {
        guard isEnabled else { return }
        let since = heldSince.load(ordering: .relaxed)
        heldSince.store(0, ordering: .relaxed)
        activity.store(Activity.idle.rawValue, ordering: .relaxed)
        let held = monotonicNanoseconds() &- since
        heldTotal.store(heldTotal.load(ordering: .relaxed) &+ held, ordering: .relaxed)
        let site = AccessSite(word: site.load(ordering: .relaxed))
        if succeeded { noteOpening(held, for: site) } else { close.pointee.pending = nil }
    }

    /// The access ends.
    ///
    /// - Parameter end: The monotonic clock, where somebody has just looked; else 0.
    @inline(__always)
    func endAccess(at end: UInt64 = 0) {
        guard isEnabled else { return }
        let since = heldSince.load(ordering: .relaxed)
        heldSince.store(0, ordering: .relaxed)
        activity.store(Activity.idle.rawValue, ordering: .relaxed)
        guard since != 0 else { return }
        let now = end != 0 ? end : monotonicNanoseconds()
        let held = now &- since
        heldTotal.store(heldTotal.load(ordering: .relaxed) &+ held, ordering: .relaxed)
        holdTimes.recordExclusively(held)
        let duties = duties.load(ordering: .relaxed) | standing.load(ordering: .relaxed)
        if duties & (Duty.split | Duty.log) != 0
            || held >= events.limit.pointee.load(ordering: .relaxed)
        {
            endClosely(held: held, at: now, duties)
        }
    }

    @inline(never)
    private func endClosely(held: UInt64, at now: UInt64, _ duties: UInt8) {
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

    /// The holder does something else now.
    @inline(__always)
    func set(_ activity: Activity) {
        guard isEnabled else { return }
        self.activity.store(activity.rawValue, ordering: .relaxed)
    }

    /// A step begins.
    @inline(__always)
    func beginStep(_ number: UInt64) {
        steps.store(steps.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
        last.store(number, ordering: .relaxed)
        running.store(number, ordering: .relaxed)
        if duties.load(ordering: .relaxed) & Duty.split != 0 { beginCall() }
    }

    /// The step is over.
    @inline(__always)
    func endStep(of statement: Statement) {
        running.store(0, ordering: .relaxed)
        let relevant =
            statement.isReadonly
            ? Duty.split | Duty.transaction : Duty.split | Duty.transaction | Duty.upgrade
        let duties = duties.load(ordering: .relaxed)
        if duties & relevant != 0 { endStepClosely(statement, duties) }
    }

    @inline(never)
    private func endStepClosely(_ statement: Statement, _ duties: UInt8) {
        if duties & Duty.split != 0 { endCall(of: statement.number) }
        if duties & Duty.loose == 0, statement.beginsRead, statement.isReadonly {
            didBeginToRead()
        } else {
            let before = CInt(transaction.load(ordering: .relaxed))
            let state = noteTransaction(of: sqlite3_db_handle(statement.pointer))
            // A program begins with its transaction, whatever its arguments are.
            if before == SQLITE_TXN_NONE, state == SQLITE_TXN_READ { statement.beginsRead = true }
        }
    }

    /// An execution of a statement is over: it was reset.
    @inline(__always)
    func didReset(_ number: UInt64, _ statement: OpaquePointer) {
        let duties = duties.load(ordering: .relaxed)
        if duties & (Duty.split | Duty.loose) != 0 { didResetClosely(number, statement, duties) }
    }

    @inline(never)
    private func didResetClosely(_ number: UInt64, _ statement: OpaquePointer, _ duties: UInt8) {
        if duties & Duty.split != 0 { endExecution(of: number) }
        guard duties & Duty.loose != 0 else { return }
        noteTransaction(of: sqlite3_db_handle(statement))
    }

    /// Registers the SQL of a statement; the number names it in ``beginStep(_:)``.
    func register(sql: String) -> UInt64 { statements.add(sql: sql) }

    /// Forgets a statement that is finalized.
    func unregister(_ number: UInt64) {
        statements.remove(number, isLast: { number == last.load(ordering: .relaxed) })
    }

    // MARK: The write-ahead log

    /// The wal-index in memory; only the holder of the connection may use it.
    @inline(__always)
    var walIndex: UnsafeRawPointer? {
        get { index.pointee }
        set { index.pointee = newValue }
    }

    /// The log as the wal-index tells it now.
    var walState: WALState? { walIndex.flatMap(WALState.init) }

    /// Has the end of each access look at the log.
    func observeLog(_ watch: WALWatch) {
        self.watch.withLock { $0 = watch }
        standing.store(Duty.log, ordering: .relaxed)
    }

    /// The connection is about to be closed.
    func willClose() {
        walIndex = nil
        transaction.store(UInt8(SQLITE_TXN_NONE), ordering: .relaxed)
        events.emit(label, .connectionClosed)
    }
}
