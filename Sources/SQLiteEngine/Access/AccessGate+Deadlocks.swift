import Telemetry

/// Detects deadlocks among nested accesses.
///
/// Both `read { write }` and `write { read }` are allowed. If threads that wait for the writer hold
/// all readers of a pool, and the holder of the writer waits for a reader, no thread can continue.
/// The same can happen across several pools and queues. The access that would complete such a cycle
/// throws instead.
///
/// Only a thread that holds a connection and finds no free connection registers its wait, so
/// ordinary accesses incur no overhead.
extension AccessGate {
    typealias NestedWait = WaitGraph<ObjectIdentifier, AccessSlot>.Wait
    typealias Holding = WaitGraph<ObjectIdentifier, AccessSlot>.Holding

    /// All waits in this process during which a thread or a barrier holds slots.
    static let nestedWaits = Lock(WaitGraph<ObjectIdentifier, AccessSlot>())

    /// Registers the wait of a waiter that already holds slots.
    ///
    /// Call this method again before each sleep, because fewer slots may be usable than before.
    /// Call ``endNestedWait(_:)`` when the wait ends.
    ///
    /// A registration may briefly outlive its wait. By then, the waiter has received a slot that no
    /// registered wait holds, so the search assumes that the wait will end.
    ///
    /// - Returns: The error to throw if the wait would never end, or `nil` otherwise.
    func deadlock(of waiter: Waiter) -> DatabaseError? {
        if waiter.holdings.isEmpty { return nil }
        let wait = NestedWait(
            holdings: waiter.holdings,
            awaited: waiter.wanted.map { [$0] } ?? slots.filter { !$0.isLost },
            mayBorrow: waiter.mayBorrow,
            site: waiter.site
        )
        let waits = Self.nestedWaits.withLock { $0.update(ObjectIdentifier(waiter), wait) }
        return waits.map(DatabaseError.deadlock)
    }

    /// Removes the registration of a wait.
    ///
    /// Call this method before the waiter releases its slots.
    func endNestedWait(_ waiter: Waiter) {
        if waiter.holdings.isEmpty { return }
        Self.nestedWaits.withLock { $0.remove(ObjectIdentifier(waiter)) }
    }
}

extension AccessSlot: Hashable {
    static func == (left: AccessSlot, right: AccessSlot) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ThreadState {
    /// Whether the thread holds a slot or works for a thread that does.
    var holdsSlots: Bool { innermost != nil || held != nil || caller != nil }

    /// The slots that the thread holds, innermost first, followed by the slots of the threads that
    /// wait for this thread's queue work.
    var holdings: [AccessGate.Holding] {
        var holdings: [AccessGate.Holding] = []
        for start in [innermost, held] {
            var next = start
            while let slot = next?.takeUnretainedValue() {
                holdings.append(AccessGate.Holding(slot: slot, site: slot.site))
                next = slot.outer
            }
        }
        return holdings + (caller?.pointee.holdings ?? [])
    }

    /// Returns whether this thread, or a thread that waits for this thread's queue work, is inside
    /// an access to `gate`.
    func isInside(_ gate: AccessGate) -> Bool {
        access(through: gate) != nil || caller?.pointee.isInside(gate) == true
    }
}

extension AccessGate.Holding {
    /// Returns the slots that a barrier holds, followed by the slot that the barrier has reserved.
    static func all(
        _ slots: some Sequence<AccessSlot>,
        _ reserved: AccessSlot?,
        _ site: AccessSite
    ) -> [Self] {
        slots.map { Self(slot: $0, site: site) }
            + (reserved.map { [Self(slot: $0, site: site, isReserved: true)] } ?? [])
    }
}
