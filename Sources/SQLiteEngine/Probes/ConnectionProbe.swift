import CSQLite
import Synchronization
import Telemetry

/// What others may see of a connection while it works.
///
/// The thread that holds the connection writes; any thread reads. Every field is an atomic of its
/// own with relaxed order: a status may mix two neighbouring moments, but neither side ever waits.
final class ConnectionProbe: Sendable {
    /// What the holder does between the statements.
    enum Activity: UInt8 {
        case idle
        case opening
        case held
        case committing
    }

    private let isEnabled: Bool
    private let activity = Atomic<UInt8>(0)
    /// Since when the connection is held, in nanoseconds; 0 when it is not.
    private let heldSince = Atomic<UInt64>(0)
    private let site = Atomic<UInt64>(0)
    private let accesses = Atomic<UInt64>(0)
    private let heldTotal = Atomic<UInt64>(0)
    private let holdTimes = AtomicHistogram()
    /// The number of the statement that is inside `sqlite3_step`, or 0.
    private let running = Atomic<UInt64>(0)
    /// The number of the statement that ran last.
    private let last = Atomic<UInt64>(0)
    /// Counts the steps, so that two looks can tell one long step from two.
    private let steps = Atomic<UInt64>(0)
    private let isWaitingForLock = Atomic<Bool>(false)
    private let busy = Atomic<UInt64>(0)
    /// The value of `steps` when a lock was met last: if the step fails for it, that is the same
    /// meeting.
    private let lockMetAt = Atomic<UInt64>(.max)
    private let interrupts = Atomic<UInt64>(0)
    private let statements = Lock<StatementRegister>(StatementRegister())
    private let sighting = Lock<Sighting>(Sighting())
    /// How the connection meets locks; set while it is opened, kept for SQLite's callback.
    private let busyMode = Lock<Database.BusyMode>(.immediateError)

    private struct StatementRegister {
        var next: UInt64 = 1
        var sql: [UInt64: String] = [:]
        /// The statement that ran last, if it was finalized since: it is still what ran last.
        var finalized: (number: UInt64, sql: String)?
    }

    /// The step that the last look saw running.
    private struct Sighting {
        var step: UInt64 = 0
        var since: UInt64 = 0
    }

    init(level: Configuration.ProbeLevel) {
        isEnabled = level != .off
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
        heldSince.store(monotonicNanoseconds(), ordering: .relaxed)
    }

    /// The connection is being opened for an access, which begins afterwards.
    func beginOpening(_ site: AccessSite) {
        guard isEnabled else { return }
        self.site.store(site.word, ordering: .relaxed)
        last.store(0, ordering: .relaxed)
        activity.store(Activity.opening.rawValue, ordering: .relaxed)
        heldSince.store(monotonicNanoseconds(), ordering: .relaxed)
    }

    /// The connection is open, or could not be opened: its place was in use for that time.
    func endOpening() {
        guard isEnabled else { return }
        let since = heldSince.load(ordering: .relaxed)
        heldSince.store(0, ordering: .relaxed)
        activity.store(Activity.idle.rawValue, ordering: .relaxed)
        let held = monotonicNanoseconds() &- since
        heldTotal.store(heldTotal.load(ordering: .relaxed) &+ held, ordering: .relaxed)
    }

    /// The access ends.
    @inline(__always)
    func endAccess() {
        guard isEnabled else { return }
        let since = heldSince.load(ordering: .relaxed)
        heldSince.store(0, ordering: .relaxed)
        activity.store(Activity.idle.rawValue, ordering: .relaxed)
        guard since != 0 else { return }
        let held = monotonicNanoseconds() &- since
        heldTotal.store(heldTotal.load(ordering: .relaxed) &+ held, ordering: .relaxed)
        holdTimes.recordExclusively(held)
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
    }

    /// The step is over.
    @inline(__always)
    func endStep() { running.store(0, ordering: .relaxed) }

    /// Counts a failed step.
    func didFail(_ code: CInt) {
        switch code & 0xff {
        case SQLITE_INTERRUPT: interrupts.wrappingAdd(1, ordering: .relaxed)
        case SQLITE_BUSY, SQLITE_LOCKED:
            // SQLite does not ask the busy handler each time, for one to avoid a deadlock.
            let metAt = lockMetAt.exchange(.max, ordering: .relaxed)
            guard metAt != steps.load(ordering: .relaxed) else { return }
            busy.wrappingAdd(1, ordering: .relaxed)
        default: break
        }
    }

    /// Registers the SQL of a statement; the number names it in ``beginStep(_:)``.
    func register(sql: String) -> UInt64 {
        statements.withLock { register in
            defer { register.next += 1 }
            register.sql[register.next] = sql
            return register.next
        }
    }

    /// Forgets a statement that is finalized.
    func unregister(_ number: UInt64) {
        statements.withLock { register in
            let sql = register.sql.removeValue(forKey: number)
            if let sql, number == last.load(ordering: .relaxed) {
                register.finalized = (number, sql)
            }
        }
    }

    // MARK: Busy handling

    /// Sets how the connection meets a lock.
    ///
    /// SQLite's own timeout is not used: its waits could not be seen. The pointer to the probe
    /// stays valid because the probe outlives its connection.
    func install(busyMode: Database.BusyMode, on handle: OpaquePointer?) {
        self.busyMode.withLock { $0 = busyMode }
        let this = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_busy_handler(
            handle,
            { this, tries in
                guard let this else { return 0 }
                return Unmanaged<ConnectionProbe>.fromOpaque(this).takeUnretainedValue()
                    .meetLock(tries: Int(tries)) ? 1 : 0
            },
            this
        )
    }

    /// Answers whether to try again; waits before it says so, where the mode says how long.
    private func meetLock(tries: Int) -> Bool {
        if tries == 0 {
            busy.wrappingAdd(1, ordering: .relaxed)
            lockMetAt.store(steps.load(ordering: .relaxed), ordering: .relaxed)
        }
        switch busyMode.withLock({ $0 }) {
        case .immediateError:
            return false
        case .callback(let callback):
            isWaitingForLock.store(true, ordering: .relaxed)
            defer { isWaitingForLock.store(false, ordering: .relaxed) }
            return callback(tries)
        case .timeout(let seconds):
            guard let pause = BusyBackoff.pause(tries: tries, timeout: seconds) else {
                return false
            }
            isWaitingForLock.store(true, ordering: .relaxed)
            defer { isWaitingForLock.store(false, ordering: .relaxed) }
            sqlite3_sleep(CInt(pause))
            return true
        }
    }

    // MARK: The observer's side

    /// How long the connection has been held in all, in nanoseconds, until `now`.
    func heldNanoseconds(at now: UInt64) -> UInt64 {
        let since = heldSince.load(ordering: .relaxed)
        let current = since == 0 || now < since ? 0 : now - since
        return heldTotal.load(ordering: .relaxed) &+ current
    }

    /// How many statements were interrupted.
    var interruptCount: UInt64 { interrupts.load(ordering: .relaxed) }

    /// How often a lock of somebody else's was met.
    var busyCount: UInt64 { busy.load(ordering: .relaxed) }

    /// How many accesses there were.
    var accessCount: UInt64 { accesses.load(ordering: .relaxed) }

    /// The times that the connection was held.
    var holdHistogram: AtomicHistogram { holdTimes }

    /// Whether a statement is inside SQLite right now.
    var isInsideStatement: Bool { running.load(ordering: .relaxed) != 0 }

    /// The connection as it looks at `now`.
    func status(label: String, role: ConnectionRole, at now: UInt64) -> ConnectionStatus {
        var status = ConnectionStatus(
            label: label,
            role: role,
            accessCount: accessCount,
            busyCount: busyCount,
            interruptCount: interruptCount
        )
        let activity = Activity(rawValue: activity.load(ordering: .relaxed)) ?? .idle
        switch activity {
        case .idle: return status
        case .opening: status.state = .opening
        case .held: status.state = .closure
        case .committing: status.state = .committing
        }
        status.holder = AccessSite(word: site.load(ordering: .relaxed)).origin
        let since = heldSince.load(ordering: .relaxed)
        if since != 0 { status.heldNanoseconds = now > since ? now - since : 0 }
        let running = running.load(ordering: .relaxed)
        let number = running != 0 ? running : last.load(ordering: .relaxed)
        status.sql = statements.withLock { register in
            if let finalized = register.finalized, finalized.number == number {
                return finalized.sql
            }
            return register.sql[number]
        }
        if running != 0 {
            if activity == .held { status.state = .statement }
            status.sqlNanoseconds = ageOfRunningStep(at: now)
        }
        if isWaitingForLock.load(ordering: .relaxed) { status.state = .waitingForLock }
        return status
    }

    private func ageOfRunningStep(at now: UInt64) -> UInt64 {
        let step = steps.load(ordering: .relaxed)
        return sighting.withLock { sighting in
            if sighting.step != step { sighting = Sighting(step: step, since: now) }
            return now > sighting.since ? now - sighting.since : 0
        }
    }
}
