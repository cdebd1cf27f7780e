import Telemetry

/// Those who wait at a gate, oldest first, and the rules by which they are served.
///
/// It is a value, so that the rules can be tested alone. The gate keeps it behind a lock.
struct WaiterQueue<Waiter: GateWaiter> {
    /// What a released slot becomes.
    enum Decision {
        /// It is free; nobody needs to know.
        case free
        /// It is free; this waiter should try to take it.
        case notify(Waiter)
        /// It stays taken: it is this waiter's.
        case grant(Waiter)
    }

    private(set) var waiters: [Waiter] = []
    private(set) var lastNotification: UInt64 = 0
    private var saturatedSince: UInt64 = 0
    private var saturatedTotal: UInt64 = 0
    /// Whether the gate was closed: nobody may begin to wait.
    var isClosed = false
    /// Whether the slot is kept for somebody: see ``GateSteps/reserve()``.
    var isReserved = false

    /// Adds a waiter, whose patience depends on the number of waiters before it.
    ///
    /// - Returns: That number.
    @discardableResult
    mutating func append(_ waiter: Waiter, at now: UInt64) -> Int {
        if waiters.isEmpty { saturatedSince = now }
        let before = waiters.count
        var waiter = waiter
        waiter.patience = EngineTimings.patience(behind: before)
        waiters.append(waiter)
        return before
    }

    /// Removes a waiter; false when it was not there.
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

    /// Whether somebody waits for any slot who does not look for one itself.
    var hasTask: Bool { waiters.contains { $0.isTask && $0.wanted == nil } }

    /// Marks the thread of a waiter as awake; returns false when the waiter is not in the queue.
    mutating func startWatching(_ waiter: Waiter) -> Bool {
        guard let index = index(of: waiter) else { return false }
        waiters[index].isNotified = false
        waiters[index].isWatching = true
        return true
    }

    /// Marks the thread of a waiter as about to sleep again.
    mutating func stopWatching(_ waiter: Waiter) {
        if let index = index(of: waiter) { waiters[index].isWatching = false }
    }

    /// Removes all waiters.
    mutating func removeAll(at now: UInt64) -> [Waiter] {
        defer { waiters = [] }
        if !waiters.isEmpty { saturatedTotal += now &- saturatedSince }
        return waiters
    }

    /// How long somebody has waited, in all, until `now`.
    func saturatedNanoseconds(at now: UInt64) -> UInt64 {
        saturatedTotal + (waiters.isEmpty || now < saturatedSince ? 0 : now - saturatedSince)
    }

    /// Decides what becomes of a slot that its holder releases.
    ///
    /// The oldest waiter that the slot can serve comes first. If that is a thread that may still be
    /// overtaken, a waiter for this very slot gets it: the thread may find another slot, while the
    /// waiter does not look and would sleep beside a free slot.
    mutating func release(_ slot: Waiter.Slot, at now: UInt64) -> Decision {
        guard let oldest = waiters.firstIndex(where: { $0.canUse(slot) }) else {
            return .free
        }
        let isEntitled = waiters[oldest].isEntitled(at: now)
        let certain = waiters.firstIndex { $0.wanted != nil && $0.canUse(slot) }
        if isEntitled || certain != nil {
            var waiter = waiters[isEntitled ? oldest : certain ?? oldest]
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
