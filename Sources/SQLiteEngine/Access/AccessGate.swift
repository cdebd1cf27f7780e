import Synchronization
import Telemetry

/// Hands out the connections of one kind: the readers of a pool, its writer, a queue's only one.
///
/// An access that finds a free connection takes it with one atomic exchange and gives it back
/// with another; no lock, no hop to another thread. Only when none is free does a lock appear.
///
/// Running threads may overtake a waiter, because handing each connection over to a sleeping thread
/// makes all threads as slow as the scheduler. A waiter that has waited for its ``Waiter/patience``
/// acquires the next connection that is released, so no thread starves. Until then, the first waiter
/// is woken at most every ``EngineTimings/notificationInterval`` to look for a connection.
@usableFromInline
final class AccessGate: Sendable {
    private static let nextIdentity = Atomic<UInt>(1)

    /// Tells gates apart; unlike an address it is never used again.
    let identity: UInt
    /// The connections' places; their number never changes.
    let slots: [AccessSlot]

    /// The gate of the readers, on a pool's writer: who holds the writer keeps them from keeping
    /// transactions.
    let readers: AccessGate?
    private let opening: @Sendable (AccessSlot) throws -> Database
    /// What those who release must look after: the number of waiters in the lower half, and in
    /// the upper that of the accesses which forbid to keep transactions.
    let attention = Atomic<Int>(0)
    static let forbidding = GateAttention.forbidding
    /// Decides when its connections keep their read transactions.
    let keeper = ReadTransactionKeeper()
    /// Those who wait.
    let queue = Lock(WaiterQueue<Waiter>())
    /// The waits of those who had to wait, and their number.
    let slowAcquisitions = AtomicHistogram()
    let slowCount = Atomic<UInt64>(0)
    /// The most connections that accesses have used at once; see ``claimForUse()``.
    let inUsePeak = Atomic<Int>(0)
    /// The accesses that wait, here and at the gate of the readers.
    let waiting: WaiterCounts
    /// What the openings took that succeeded.
    let openings = AtomicHistogram()
    /// How many openings failed.
    let failures = Atomic<UInt64>(0)
    /// Where the time of accesses goes.
    let times: AccessTimes
    /// What was counted before ``restartTimes()``.
    let restart = Lock<AccessBaseline?>(nil)
    /// What happens to the connections.
    let events: EventHub

    /// Creates a gate without connections.
    ///
    /// - Parameters:
    ///   - labels: The connections' labels, one for each.
    ///   - probes: How much they tell.
    ///   - readers: The gate of the readers, for a pool's writer.
    ///   - events: Where they tell what happens.
    ///   - dispatching: Where asynchronous accesses run.
    ///   - opening: Opens the connection of a slot; called without any lock, by the access that
    ///     needs it.
    init(
        labels: [String],
        probes: Configuration.ProbeLevel,
        readers: AccessGate? = nil,
        events: EventHub = EventHub(),
        dispatching: AccessDispatching = AccessDispatching(),
        opening: @escaping @Sendable (AccessSlot) throws -> Database
    ) {
        self.opening = opening
        self.readers = readers
        waiting = readers?.waiting ?? WaiterCounts()
        self.events = events
        let times = AccessTimes(level: probes)
        self.times = times
        let identity = Self.nextIdentity.wrappingAdd(1, ordering: .relaxed).oldValue
        self.identity = identity
        slots = labels.indices.map { index in
            AccessSlot(
                index: index,
                label: labels[index],
                gate: identity,
                probe: ConnectionProbe(
                    level: probes,
                    label: labels[index],
                    times: times,
                    events: events
                ),
                dispatching: dispatching
            )
        }
    }

    deinit {
        for slot in slots { slot.uninstall()?.closeIgnoringErrors() }
    }

    // MARK: Taking a connection

    /// Takes a connection on behalf of the calling thread; waits while there is none.
    @inline(__always)
    func acquire(
        _ thread: UnsafeMutablePointer<ThreadState>,
        _ site: AccessSite,
        _ intent: Waiter.Intent
    ) throws -> AccessSlot {
        let hint = thread.pointee.hint
        if thread.pointee.hintGate == identity, hint < inUsePeak.load(ordering: .relaxed) {
            let slot = slots[hint]
            if slot.claimIdle() { return slot }
        }
        return try acquireAny(thread, site, intent)
    }

    @inline(never)
    private func acquireAny(
        _ thread: UnsafeMutablePointer<ThreadState>,
        _ site: AccessSite,
        _ intent: Waiter.Intent
    ) throws -> AccessSlot {
        let slot: AccessSlot
        if let free = claimForUse() {
            slot = free.database == nil ? try open(free, site) : free
        } else if let borrowed = borrow(ifAllowed: mayBorrow(thread)) {
            slot = borrowed
        } else {
            slot = try wait(thread, site, intent)
        }
        noteUse(of: slot)
        thread.pointee.hintGate = identity
        thread.pointee.hint = slot.index
        return slot
    }

    /// Acquires a free slot for an access that any slot can serve.
    ///
    /// The slot may have no connection. Slots beyond ``inUsePeak`` come last, like connections that are not open yet: an access uses
    /// one only when all slots before it are in use. So their number is the number of connections
    /// that were in use at once, and the accesses on the fast path need not count.
    func claimForUse() -> AccessSlot? {
        let peak = inUsePeak.load(ordering: .relaxed)
        return claimAny(in: slots[..<min(peak, slots.count)]) ?? claimAfterEnding() ?? claimAny()
            ?? claimClosed()
    }

    /// Records that an access uses a slot.
    func noteUse(of slot: AccessSlot) {
        if slot.index >= inUsePeak.load(ordering: .relaxed) {
            inUsePeak.max(slot.index + 1, ordering: .relaxed)
        }
    }

    /// Takes the first slot while its gate is being made; nil is impossible then.
    func claimFirstSlot() -> AccessSlot? {
        slots[0].claimClosed() ? slots[0] : nil
    }

    // MARK: Opening

    /// Opens the connection of a slot that the caller has claimed.
    func open(_ slot: AccessSlot, _ site: AccessSite) throws -> AccessSlot {
        let start = monotonicNanoseconds()
        slot.probe.beginOpening(site)
        do {
            // Opening runs the user's closures, which may wait for other connections.
            slot.install(
                try holding(CollectionOfOne(slot), ThreadState.current, site) { try opening(slot) },
                keeper
            )
            slot.probe.endOpening(succeeded: true)
        } catch {
            slot.probe.endOpening(succeeded: false)
            failures.wrappingAdd(1, ordering: .relaxed)
            events.emit(slot.label, .connectionNotOpened(took: monotonicNanoseconds() - start))
            // The place is free again, for the next one to try; a waiter may be that one.
            giveBack(slot)
            throw error
        }
        let duration = monotonicNanoseconds() - start
        openings.record(duration)
        events.emit(slot.label, .connectionOpened(took: duration))
        return slot
    }
}
