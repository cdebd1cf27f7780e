import Synchronization
import Telemetry

/// Provides connections of one kind: a pool's readers, its writer, or a queue's connection.
///
/// An access acquires a free connection with one atomic exchange and releases it with another,
/// without a lock or a thread switch. The gate uses its lock only when no connection is free.
///
/// A running thread may overtake a waiter. Handing every connection to a sleeping thread would
/// limit throughput to the speed of the scheduler. After ``EngineTimings/patience``, a waiter
/// receives the next released connection, so no waiter starves. Until then, the gate notifies the
/// first waiter to retry at most once per ``EngineTimings/notificationInterval``.
@usableFromInline
final class AccessGate: Sendable {
    private static let nextIdentity = Atomic<UInt>(1)

    /// A number that identifies the gate and, unlike an address, is never reused.
    let identity: UInt
    /// The gate's fixed set of slots.
    let slots: [AccessSlot]

    /// The readers' gate, if this is the gate of a pool's writer.
    ///
    /// An access that holds the writer prevents the readers from keeping transactions.
    let readers: AccessGate?
    private let opening: @Sendable (AccessSlot) throws -> Database
    /// The conditions that a thread must handle when it releases a slot; see ``GateConditions``.
    let conditions = Atomic<Int>(0)
    static let forbidding = GateConditions.forbidding
    let keeper = ReadTransactionKeeper()
    let queue = Lock(WaiterQueue<Waiter>())
    /// The durations of the waits for a connection, in nanoseconds.
    let slowAcquisitions = AtomicHistogram()
    /// The number of accesses that waited.
    let slowCount = Atomic<UInt64>(0)
    /// The largest number of connections that accesses have used simultaneously; see
    /// ``claimForUse()``.
    let inUsePeak = Atomic<Int>(0)
    /// The numbers of accesses that wait at this gate and at the readers' gate.
    let waiting: WaiterCounts
    /// The durations of successful attempts to open a connection, in nanoseconds.
    let openings = AtomicHistogram()
    /// The number of failed attempts to open a connection.
    let failures = Atomic<UInt64>(0)
    let times: AccessTimes
    /// The counts at the last call to ``restartTimes()``.
    let restart = Lock<AccessBaseline?>(nil)
    let events: EventHub

    /// Creates a gate without connections.
    ///
    /// `labels` contains one label for each slot. `readers` is the readers' gate, if this is the
    /// gate of a pool's writer. The access that needs a connection calls `opening` without holding
    /// a lock.
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

    /// Acquires a connection for the calling thread, waiting until one is free.
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

    /// Acquires a free slot for an access that can use any slot.
    ///
    /// The slot may have no connection. The search tries the slots below ``inUsePeak`` first and
    /// the slots without a connection last. ``inUsePeak`` is therefore the largest number of
    /// connections in use simultaneously, and the fast path does not count its accesses.
    func claimForUse() -> AccessSlot? {
        let peak = inUsePeak.load(ordering: .relaxed)
        return claimAny(in: slots[..<min(peak, slots.count)]) ?? claimAfterEnding() ?? claimAny()
            ?? claimClosed()
    }

    func recordUse(of slot: AccessSlot) {
        if slot.index >= inUsePeak.load(ordering: .relaxed) {
            inUsePeak.max(slot.index + 1, ordering: .relaxed)
        }
    }

    /// Acquires the first slot, which is always available while the database is being opened.
    func claimFirstSlot() -> AccessSlot? {
        slots[0].claimClosed() ? slots[0] : nil
    }

    // MARK: Opening

    /// Opens the connection of a slot that the caller holds.
    func open(_ slot: AccessSlot, _ site: AccessSite) throws -> AccessSlot {
        let start = monotonicNanoseconds()
        slot.probe.beginOpening(site)
        do {
            // The user's closures run while the connection opens, and may wait for other
            // connections.
            slot.install(
                try holding(CollectionOfOne(slot), ThreadState.current, site) { try opening(slot) },
                keeper
            )
            slot.probe.endOpening(succeeded: true)
        } catch {
            slot.probe.endOpening(succeeded: false)
            failures.wrappingAdd(1, ordering: .relaxed)
            events.emit(slot.label, .connectionNotOpened(took: monotonicNanoseconds() - start))
            // Releases the slot, so that another access can try to open the connection.
            returnSlot(slot)
            throw error
        }
        let duration = monotonicNanoseconds() - start
        openings.record(duration)
        events.emit(slot.label, .connectionOpened(took: duration))
        return slot
    }
}
