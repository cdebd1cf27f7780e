import CSQLite
import Synchronization
import Telemetry

/// An access that waits for a connection: a sleeping thread, or a suspended task.
///
/// `@unchecked Sendable`: the gate's lock protects every variable except those that only the
/// waiting thread uses.
final class Waiter: GateWaiter, @unchecked Sendable {
    /// The purpose of an access.
    ///
    /// ``DatabaseStatus`` counts waiting reads and writes separately.
    enum Intent {
        case read
        case write
        /// Internal maintenance, such as closing a connection.
        case maintenance
    }

    enum Sleeper {
        /// A thread, which is woken when it should retry or was granted a connection.
        case thread(Parker)
        /// A task, which is resumed with a connection, or with an error if it receives none.
        case task(@Sendable (Result<AccessSlot, any Error>) -> Void)
        /// A task that was resumed or no longer waits.
        case removed
    }

    let site: AccessSite
    let intent: Intent
    private(set) var sleeper: Sleeper
    let since: UInt64
    let wanted: AccessSlot?
    let holdings: [AccessGate.Holding]
    let mayBorrow: Bool

    var patience: UInt64 = 0
    private(set) var granted: AccessSlot?
    /// The time at which the waiter's patience expires, in nanoseconds on the monotonic clock.
    ///
    /// Only the waiting thread uses this property.
    var patientUntil: UInt64 = .max
    /// The error to throw if waiting would be a deadlock.
    ///
    /// Only the waiting thread uses this property.
    var deadlock: DatabaseError?
    var isNotified = false
    /// Whether the thread is awake and polling ``isServed``.
    var isAwake = false
    /// Whether a slot was granted.
    ///
    /// The waiting thread reads this value without the gate's lock.
    let isServed = Atomic<Bool>(false)

    init(
        site: AccessSite,
        intent: Intent,
        sleeper: Sleeper,
        since: UInt64,
        wanted: AccessSlot? = nil,
        holdings: [AccessGate.Holding] = [],
        mayBorrow: Bool = false
    ) {
        self.site = site
        self.intent = intent
        self.sleeper = sleeper
        self.since = since
        self.wanted = wanted
        self.holdings = holdings
        self.mayBorrow = mayBorrow
    }

    var isTask: Bool {
        if case .task = sleeper { return true }
        return false
    }

    func canUse(_ slot: AccessSlot) -> Bool {
        wanted.map { $0 === slot } ?? !slot.isLost
    }

    func grant(_ slot: AccessSlot) {
        granted = slot
        isServed.store(true, ordering: .relaxed)
    }

    /// Spins until a slot is granted or ``EngineTimings/watch`` has elapsed.
    func watch() {
        let end = monotonicNanoseconds() + EngineTimings.watch
        repeat {
            for _ in 0..<32 {
                if isServed.load(ordering: .relaxed) { return }
                poolgauge_pause()
            }
        } while monotonicNanoseconds() < end
    }

    /// Removes and returns the sleeper.
    ///
    /// Only the thread that removed the waiter from the queue may call this method.
    ///
    /// A task references its waiter to cancel the wait, and the waiter references the task. This
    /// method breaks the reference cycle.
    func takeSleeper() -> Sleeper {
        defer { if case .task = sleeper { sleeper = .removed } }
        return sleeper
    }

    func status(at now: UInt64) -> WaiterStatus {
        WaiterStatus(
            origin: site.origin ?? AccessOrigin(name: "?"),
            waitedNanoseconds: now > since ? now - since : 0,
            isAsync: isTask
        )
    }
}
