import Synchronization
import Telemetry

/// Provides connections of one kind: a pool's readers, its writer, or a queue's connection.
///
/// An access acquires a free connection with one atomic exchange and releases it with another,
/// without a lock or a thread switch. The gate uses its lock only when no connection is free.
///
/// Running threads may overtake a waiter, because handing each connection to a sleeping thread
/// would limit all accesses to the scheduler's speed. A waiter that has waited for
/// ``EngineTimings/patience`` receives the next connection that is released, so no waiter starves.
/// Until then, the gate notifies the first waiter to retry at most once per
/// ``EngineTimings/notificationInterval``.
@usableFromInline
final class AccessGate: Sendable {
    private static let nextIdentity = Atomic<UInt>(1)

    /// The identity of the gate, a number that is never reused, unlike an address.
    let identity: UInt
    /// The slots of the connections, whose number never changes.
    let slots: [AccessSlot]

    /// The readers' gate, if this is the gate of a pool's writer.
    ///
    /// An access that holds the writer may prevent the readers from keeping transactions.
    let readers: AccessGate?
    private let opening: @Sendable (AccessSlot) throws -> Database
    /// The conditions that releasers must handle.
    ///
    /// The lower half counts the waiters, and the upper half counts the accesses that prevent
    /// connections from keeping transactions.
    let attention = Atomic<Int>(0)
    static let forbidding = GateAttention.forbidding
    /// Decides when the connections keep their read transactions.
    let keeper = ReadTransactionKeeper()
    /// The accesses that wait.
    let queue = Lock(WaiterQueue<Waiter>())
    /// The durations and the number of waits.
    let slowAcquisitions = AtomicHistogram()
    let slowCount = Atomic<UInt64>(0)
    /// The largest number of connections that accesses have used simultaneously; see
    /// ``claimForUse()``.
    let inUsePeak = Atomic<Int>(0)
    /// The accesses that wait at this gate and at the readers' gate.
    let waiting: WaiterCounts
    /// The durations of successful openings.
    let openings = AtomicHistogram()
    /// The number of failed openings.
    let failures = Atomic<UInt64>(0)
    /// The breakdown of the accesses' time.
    let times: AccessTimes
    /// The counts at the last ``restartTimes()``.
    let restart = Lock<AccessBaseline?>(nil)
    /// Reports the events of the connections.
    let events: EventHub

    /// Creates a gate without connections.
    ///
    /// - Parameters:
    ///   - labels: The labels of the connections, one for each.
    ///   - probes: How much the connections' probes measure.
    ///   - readers: The readers' gate, if this is the gate of a pool's writer.
    ///   - events: Receives the events of the connections.
    ///   - dispatching: Where asynchronous accesses run.
    ///   - opening: Opens a slot's connection. The access that needs it calls this without holding
    ///     a lock.
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

    // MARK: Acquiring a connection

    /// Acquires a connection for the calling thread, and waits while none is free.
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
        recordUse(of: slot)
        thread.pointee.hintGate = identity
        thread.pointee.hint = slot.index
        return slot
    }

    /// Acquires a free slot for an access that any slot can serve.
    ///
    /// The slot may have no connection. Slots beyond ``inUsePeak`` come last, like connections that
    /// are not open yet: an access uses one only when all slots before it are in use. ``inUsePeak``
    /// is therefore the largest number of connections in use simultaneously, and accesses on the
    /// fast path need not be counted.
    func claimForUse() -> AccessSlot? {
        let peak = inUsePeak.load(ordering: .relaxed)
        return claimAny(in: slots[..<min(peak, slots.count)]) ?? claimAfterEnding() ?? claimAny()
            ?? claimClosed()
    }

    /// Records that an access uses a slot.
    func recordUse(of slot: AccessSlot) {
        if slot.index >= inUsePeak.load(ordering: .relaxed) {
            inUsePeak.max(slot.index + 1, ordering: .relaxed)
        }
    }

    /// Acquires the first slot.
    ///
    /// This always succeeds while the database is being opened.
    func claimFirstSlot() -> AccessSlot? {
        slots[0].claimClosed() ? slots[0] : nil
    }

    // MARK: Opening

    /// Opens the connection of a slot that the caller has claimed.
    func open(_ slot: AccessSlot, _ site: AccessSite) throws -> AccessSlot {
        let start = monotonicNanoseconds()
        slot.probe.beginOpening(site)
        do {
            // The user's closures run during the opening and may wait for other connections.
            slot.install(
                try holding(CollectionOfOne(slot), ThreadState.current, site) { try opening(slot) },
                keeper
            )
            slot.probe.endOpening(succeeded: true)
        } catch {
            slot.probe.endOpening(succeeded: false)
            failures.wrappingAdd(1, ordering: .relaxed)
            events.emit(slot.label, .connectionNotOpened(took: monotonicNanoseconds() - start))
            // Releases the slot so that the next access, which may be a waiter, can try.
            returnSlot(slot)
            throw error
        }
        let duration = monotonicNanoseconds() - start
        openings.record(duration)
        events.emit(slot.label, .connectionOpened(took: duration))
        return slot
    }
}
