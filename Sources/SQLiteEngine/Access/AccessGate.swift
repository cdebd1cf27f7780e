import Synchronization
import Telemetry

/// Hands out the connections of one kind: the readers of a pool, its writer, a queue's only one.
///
/// An access that finds a free connection takes it with one atomic exchange and gives it back
/// with another; no lock, no hop to another thread. Only when none is free does a lock appear.
///
/// Who waits may be overtaken by threads that are running, since handing each connection to a
/// sleeping thread makes everybody as slow as the scheduler. A waiter that has been overtaken for
/// ``Waiter/patience`` gets the next connection that is given up, so nobody starves; between, it
/// is woken to try its luck at most every ``WaiterQueue/notificationInterval``.
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
    /// The most connections that were open.
    let openedPeak = Atomic<Int>(0)
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
        if thread.pointee.hintGate == identity, hint < slots.count {
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
        if let free = claimAny() ?? claimAfterEnding() {
            slot = free
        } else if let closed = claimClosed() {
            slot = try open(closed, site)
        } else if let borrowed = borrow(ifAllowed: mayBorrow(thread)) {
            slot = borrowed
        } else {
            slot = try wait(thread, site, intent)
        }
        thread.pointee.hintGate = identity
        thread.pointee.hint = slot.index
        return slot
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
        openedPeak.max(slot.index + 1, ordering: .relaxed)
        return slot
    }
}
