import Telemetry

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
