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

/// The properties of a waiter that determine how it is served.
protocol GateWaiter {
    associatedtype Slot

    /// The start time of the wait, in nanoseconds on the monotonic clock.
    var since: UInt64 { get }
    /// The period after ``since`` during which running threads may overtake the waiter, in
    /// nanoseconds.
    ///
    /// The queue sets this property when it adds the waiter.
    var patience: UInt64 { get set }
    /// The only slot that can serve the waiter, or `nil` if any slot can.
    var wanted: Slot? { get }
    /// Whether a reserved slot can serve the waiter; see ``GateSteps/reserve()``.
    var mayBorrow: Bool { get }
    /// Whether the waiter is a task or a callback, which blocks no thread while it waits.
    var isTask: Bool { get }
    /// Whether the thread was notified and has not searched for a slot since then.
    var isNotified: Bool { get set }
    /// Whether the thread is awake and therefore requires no wake-up when a slot is granted.
    var isAwake: Bool { get set }

    /// Returns whether both values represent the same waiter, possibly at different times.
    func isSame(as other: Self) -> Bool
    /// Returns whether a slot can serve the waiter once the slot is free.
    func canUse(_ slot: Slot) -> Bool
    mutating func grant(_ slot: Slot)
}

extension GateWaiter {
    /// Returns whether the waiter must be granted the next slot.
    ///
    /// Tasks are always entitled, because they do not search for a slot themselves. Waiters for one
    /// specific slot and awake threads are also entitled. An awake thread takes over a slot without
    /// delay.
    func isEntitled(at now: UInt64) -> Bool {
        isTask || isAwake || wanted != nil || now &- since >= patience
    }
}

extension GateWaiter where Self: AnyObject {
    func isSame(as other: Self) -> Bool { self === other }
}

/// A gate's waiters, oldest first, and the rules for serving them.
///
/// The queue is a value, so that tests can check the rules in isolation. The gate protects the
/// queue with a lock.
struct WaiterQueue<Waiter: GateWaiter> {
    /// The outcome of releasing a slot.
    enum Decision {
        case free
        /// The slot is free, and the gate notifies this waiter to try to acquire it.
        case notify(Waiter)
        /// The slot stays taken and belongs to this waiter.
        case grant(Waiter)
    }

    private(set) var waiters: [Waiter] = []
    private(set) var lastNotification: UInt64 = 0
    private var saturatedSince: UInt64 = 0
    private var saturatedTotal: UInt64 = 0
    /// Whether the gate was closed and therefore accepts no waiters.
    var isClosed = false
    /// Whether the slot is reserved; see ``GateSteps/reserve()``.
    var isReserved = false

    mutating func append(_ waiter: Waiter, at now: UInt64) {
        if waiters.isEmpty { saturatedSince = now }
        var waiter = waiter
        waiter.patience = EngineTimings.patience(behind: waiters.count)
        waiters.append(waiter)
    }

    /// Removes a waiter, or returns `false` if it is not in the queue.
    @discardableResult
    mutating func remove(_ waiter: Waiter, at now: UInt64) -> Bool {
        guard let index = index(of: waiter) else { return false }
        waiters.remove(at: index)
        if waiters.isEmpty { saturatedTotal += now &- saturatedSince }
        return true
    }

    private func index(of waiter: Waiter) -> Int? {
        waiters.firstIndex { $0.isSame(as: waiter) }
    }

    /// Whether the queue contains a task or a callback that can use any slot.
    var hasTask: Bool { waiters.contains { $0.isTask && $0.wanted == nil } }

    /// Marks a waiter's thread as awake, or returns `false` if the waiter is not in the queue.
    mutating func startWatching(_ waiter: Waiter) -> Bool {
        guard let index = index(of: waiter) else { return false }
        waiters[index].isNotified = false
        waiters[index].isAwake = true
        return true
    }

    mutating func stopWatching(_ waiter: Waiter) {
        if let index = index(of: waiter) { waiters[index].isAwake = false }
    }

    mutating func removeAll(at now: UInt64) -> [Waiter] {
        defer { waiters = [] }
        if !waiters.isEmpty { saturatedTotal += now &- saturatedSince }
        return waiters
    }

    /// Returns the time until `now` during which an access waited.
    func saturatedNanoseconds(at now: UInt64) -> UInt64 {
        saturatedTotal + (waiters.isEmpty || now < saturatedSince ? 0 : now - saturatedSince)
    }

    /// Decides how to pass on a slot that its holder releases.
    ///
    /// The oldest waiter that the slot can serve takes precedence. If that waiter is a thread that
    /// may still be overtaken, a waiter for this specific slot receives the slot instead, because
    /// only the thread can use a different slot.
    mutating func release(_ slot: Waiter.Slot, at now: UInt64) -> Decision {
        guard let oldest = waiters.firstIndex(where: { $0.canUse(slot) }) else {
            return .free
        }
        let isEntitled = waiters[oldest].isEntitled(at: now)
        let specific = waiters.firstIndex { $0.wanted != nil && $0.canUse(slot) }
        if isEntitled || specific != nil {
            var waiter = waiters[isEntitled ? oldest : specific ?? oldest]
            remove(waiter, at: now)
            waiter.grant(slot)
            return .grant(waiter)
        }
        guard !waiters[oldest].isNotified,
            now &- lastNotification >= EngineTimings.notificationInterval
        else { return .free }
        lastNotification = now
        waiters[oldest].isNotified = true
        return .notify(waiters[oldest])
    }
}

/// The current and peak numbers of accesses that wait for the connections of a database.
///
/// The gates of a pool share one object, because a barrier waits for the writer and then for
/// readers. An access that finds a free connection does not change the counts.
final class WaiterCounts: Sendable {
    struct Count: ~Copyable, Sendable {
        private let waiting = Atomic<Int>(0)
        private let maximum = Atomic<Int>(0)

        /// The largest number of accesses that waited simultaneously since ``restart()``.
        var peak: Int { maximum.load(ordering: .sequentiallyConsistent) }

        fileprivate func change(by difference: Int) {
            let now = waiting.wrappingAdd(difference, ordering: .relaxed).newValue
            if difference > 0 { maximum.max(now, ordering: .relaxed) }
        }

        /// Resets the peak to the number of accesses that wait now.
        ///
        /// If an access starts to wait at the same moment, either the loaded count includes it, or
        /// it raises the peak after the store.
        fileprivate func restart() {
            maximum.store(0, ordering: .sequentiallyConsistent)
            maximum.max(waiting.load(ordering: .sequentiallyConsistent), ordering: .relaxed)
        }
    }

    let reading = Count()
    let writing = Count()

    func begin(_ waiter: Waiter) { change(waiter, by: 1) }

    func end(_ waiter: Waiter) { change(waiter, by: -1) }

    private func change(_ waiter: Waiter, by difference: Int) {
        switch waiter.intent {
        case .read: reading.change(by: difference)
        case .write: writing.change(by: difference)
        case .maintenance: break
        }
    }

    func restart() {
        reading.restart()
        writing.restart()
    }
}
