import CSQLite
import Synchronization
import Telemetry

/// An access that waits for a connection: a thread that sleeps, or a task that is suspended.
///
/// `@unchecked Sendable`: the gate's lock protects the variables, except those that only the waiting
/// thread uses.
final class Waiter: GateWaiter, @unchecked Sendable {
    /// Whether it wants to read or to write, for the two counts of a status.
    enum Intent {
        case read
        case write
        /// Neither: it is the engine's own, which closes a connection.
        case maintenance
    }

    enum Sleeper {
        /// A thread, which is woken to try again or finds a connection granted.
        case thread(Parker)
        /// A task, which is told only when a connection is its own, or never will be.
        case task(@Sendable (Result<AccessSlot, any Error>) -> Void)
        /// A task that was told, or waits no more.
        case nobody
    }

    let site: AccessSite
    let intent: Intent
    private(set) var sleeper: Sleeper
    /// Since when it waits, in nanoseconds of the monotonic clock.
    let since: UInt64
    /// The only slot that serves it; nil when any does.
    let wanted: AccessSlot?
    /// The slots that the waiter holds while it waits.
    let holdings: [AccessGate.Holding]
    /// Whether a reserved slot can serve the waiter; see ``GateSteps/reserve()``.
    let mayBorrow: Bool

    /// The slot that was handed over to it.
    private(set) var granted: AccessSlot?
    /// The time during which running threads may overtake the waiter, in nanoseconds.
    var patience = EngineTimings.shortestPatience
    /// When the thread looks for a slot although it was not woken, in nanoseconds of the monotonic
    /// clock; only the waiting thread uses it.
    var looksAt: UInt64 = .max
    /// When the waiter's patience is over, in nanoseconds of the monotonic clock; only the waiting
    /// thread uses it.
    var patientUntil: UInt64 = .max
    /// The reason why the waiter must not wait; only the waiting thread uses it.
    var deadlock: DatabaseError?
    /// Whether it was told to try again, and has not done so yet.
    var isNotified = false
    /// Whether its thread is awake, and watches ``isServed`` for a moment.
    var isWatching = false
    /// Tells the watching thread, without the gate's lock, that a slot was granted.
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

    /// Whether it waits without a thread.
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

    /// Watches until a slot was granted, or ``EngineTimings/watch`` is over.
    func watch() {
        let end = monotonicNanoseconds() + EngineTimings.watch
        repeat {
            for _ in 0..<32 {
                if isServed.load(ordering: .relaxed) { return }
                poolgauge_pause()
            }
        } while monotonicNanoseconds() < end
    }

    /// Lets go of whom it wakes, and gives it; only whoever took the waiter out of the queue may.
    ///
    /// A task holds its waiter, to cancel it, and the waiter the task: without this, each would
    /// keep the other alive forever.
    func takeSleeper() -> Sleeper {
        defer { if case .task = sleeper { sleeper = .nobody } }
        return sleeper
    }

    /// The waiter as a status shows it.
    func status(at now: UInt64) -> WaiterStatus {
        WaiterStatus(
            origin: site.origin ?? AccessOrigin(name: "?"),
            waitedNanoseconds: now > since ? now - since : 0,
            isAsync: isTask
        )
    }
}
