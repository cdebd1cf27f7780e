/// Those who wait at a gate, oldest first, and the rules by which they are served.
///
/// It is a value, so that the rules can be tested alone. The gate keeps it behind a lock.
struct WaiterQueue {
    /// What a released slot becomes.
    enum Decision {
        /// It is free; nobody needs to know.
        case free
        /// It is free; this waiter should try to take it.
        case notify(Waiter)
        /// It stays taken: it is this waiter's.
        case grant(Waiter)
    }

    /// The shortest time between two notifications, in nanoseconds.
    ///
    /// Waking a thread that loses
    /// the race costs two context switches, several times a point read.
    static let notificationInterval: UInt64 = 50_000

    private(set) var waiters: [Waiter] = []
    private var lastNotification: UInt64 = 0
    private var saturatedSince: UInt64 = 0
    private var saturatedTotal: UInt64 = 0
    /// Whether the gate was closed: nobody may begin to wait.
    var isClosed = false
    /// Whether the slot is kept for somebody: see ``AccessGate/reserve()``.
    var isReserved = false

    /// Adds a waiter.
    mutating func append(_ waiter: Waiter, at now: UInt64) {
        if waiters.isEmpty { saturatedSince = now }
        waiters.append(waiter)
    }

    /// Removes a waiter; false when it was not there.
    @discardableResult
    mutating func remove(_ waiter: Waiter, at now: UInt64) -> Bool {
        guard let index = waiters.firstIndex(where: { $0 === waiter }) else { return false }
        waiters.remove(at: index)
        if waiters.isEmpty { saturatedTotal += now &- saturatedSince }
        return true
    }

    /// Whether somebody waits for any slot who does not look for one itself.
    var hasTask: Bool { waiters.contains { $0.isTask && $0.wanted == nil } }

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

    /// Decides what becomes of a slot that its holder gives up.
    ///
    /// The oldest that it can serve comes first. Where that is a thread which may be overtaken
    /// still, somebody behind it who wants this very slot gets it: the thread may find another,
    /// and who does not look for itself would then sleep beside a slot that is free.
    mutating func release(_ slot: AccessSlot, at now: UInt64) -> Decision {
        let oldest = waiters.first { $0.wanted === slot || $0.wanted == nil && !slot.isLost }
        guard let oldest else { return .free }
        let isEntitled = oldest.isEntitled(at: now)
        let waiter = isEntitled ? oldest : waiters.first { $0.wanted === slot } ?? oldest
        if isEntitled || waiter !== oldest {
            remove(waiter, at: now)
            waiter.granted = slot
            waiter.isServed.store(true, ordering: .relaxed)
            return .grant(waiter)
        }
        guard !waiter.isNotified, now &- lastNotification >= Self.notificationInterval else {
            return .free
        }
        lastNotification = now
        waiter.isNotified = true
        return .notify(waiter)
    }
}
