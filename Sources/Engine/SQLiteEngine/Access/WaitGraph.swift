/// The nested waits of a process, and the deadlocks among them.
///
/// A wait is *nested* when the waiter holds slots. Only such waits can be part of a deadlock: a
/// waiter that holds nothing blocks no other waiter. A holder that is not in the graph is running
/// and will release its slots.
///
/// A set of waits is deadlocked when each member waits for slots that only members hold. A set
/// becomes deadlocked when its last member starts to wait, so searching whenever a wait starts is
/// sufficient. The graph rejects that last wait. The access fails and releases its slots, and the
/// other members continue.
///
/// The graph is a pure value type: it uses no clocks, threads, or locks.
/// ``AccessGate/nestedWaits`` contains the graph of the process.
struct WaitGraph<Waiter: Hashable & Sendable, Slot: Hashable & Sendable>: Hashable, Sendable {
    struct Holding: Hashable, Sendable {
        let slot: Slot
        /// The access that acquired the slot.
        let site: AccessSite
        /// Whether other accesses may borrow the slot; see ``GateSteps/reserve()``.
        var isReserved = false
    }

    struct Wait: Hashable, Sendable {
        var holdings: [Holding]
        /// The slots that the waiter can use, any of which ends the wait.
        var awaited: [Slot]
        /// Whether the waiter can use a slot that another waiter has only reserved.
        var mayBorrow: Bool
        var site: AccessSite
    }

    private struct Entry: Hashable, Sendable {
        let waiter: Waiter
        var wait: Wait
    }

    /// The waits, oldest first.
    private var entries: [Entry] = []

    var waits: [Wait] { entries.map(\.wait) }

    /// Registers a wait, or updates a registered one.
    ///
    /// A wait that would complete a deadlock is not registered. If it was registered before, it is
    /// removed.
    ///
    /// - Returns: The waits of the deadlock, starting with this wait, followed by the waits on
    ///   which it depends, or `nil` if the wait can end.
    mutating func update(_ waiter: Waiter, _ wait: Wait) -> [Wait]? {
        if let index = entries.firstIndex(where: { $0.waiter == waiter }) {
            entries[index].wait = wait
        } else {
            entries.append(Entry(waiter: waiter, wait: wait))
        }
        guard let deadlock = deadlock(of: waiter) else { return nil }
        remove(waiter)
        return deadlock
    }

    /// Removes a waiter's wait, if it is registered.
    mutating func remove(_ waiter: Waiter) {
        entries.removeAll { $0.waiter == waiter }
    }

    /// Returns the waits of the deadlock that includes a waiter, or `nil` if there is none.
    private func deadlock(of waiter: Waiter) -> [Wait]? {
        // The waits that remain after every wait that can end has ended and released its slots.
        var stuck = entries
        while let index = stuck.firstIndex(where: { canBeServed($0.wait, despite: stuck) }) {
            stuck.remove(at: index)
        }
        guard let first = stuck.firstIndex(where: { $0.waiter == waiter }) else { return nil }
        // Excludes waits that depend on the deadlock but are not part of it.
        var members = [stuck.remove(at: first)]
        var next = 0
        while next < members.count {
            let wait = members[next].wait
            let keepsWaiting = { (entry: Entry) in
                wait.awaited.contains { entry.wait.withholds($0, from: wait) }
            }
            members += stuck.filter(keepsWaiting)
            stuck.removeAll(where: keepsWaiting)
            next += 1
        }
        return members.map(\.wait)
    }

    /// Returns whether the wait can end with a slot that none of `others` withholds.
    private func canBeServed(_ wait: Wait, despite others: [Entry]) -> Bool {
        // A gate without a usable slot is about to close, which also ends the wait.
        wait.awaited.isEmpty
            || wait.awaited.contains { slot in
                !others.contains { $0.wait.withholds(slot, from: wait) }
            }
    }
}

extension WaitGraph.Wait {
    /// Returns whether `other` cannot acquire a slot until this wait has ended.
    fileprivate func withholds(_ slot: Slot, from other: Self) -> Bool {
        holdings.contains { $0.slot == slot && !($0.isReserved && other.mayBorrow) }
    }
}
