import Foundation
import Synchronization
import Telemetry

/// A gate that provides connections of one kind: a pool's readers, a pool's writer, or a queue's
/// connection.
///
/// An access acquires a free connection with one atomic exchange and releases it with another,
/// without a lock or a thread switch. The gate uses its lock only when no connection is free.
///
/// A running thread may overtake a waiter. Handing every connection to a sleeping thread would
/// limit throughput to the speed of the scheduler. When a waiter's patience expires
/// (``EngineTimings/patience(behind:)``), the waiter receives the next released connection, so no
/// waiter starves. Until then, the gate notifies the first waiter to retry at most once per
/// ``EngineTimings/notificationInterval``.
@usableFromInline
final class AccessGate: Sendable {
    private static let nextIdentity = Atomic<UInt>(1)

    /// The connections that a gate provides.
    enum Kind {
        /// The connection of a queue, which serves reads and writes.
        case queue
        case writer
        /// The readers of a pool.
        case reader
        case snapshot
    }

    /// A number that identifies the gate and, unlike an address, is never reused.
    let identity: UInt
    let kind: Kind
    /// Whether the configuration specifies a dispatch queue for the synchronous accesses.
    @usableFromInline let hasTargetQueue: Bool
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
    let storedBaseline = Lock<AccessBaseline?>(nil)
    let events: EventHub

    /// Creates a gate without connections.
    ///
    /// `labels` contains one label for each slot. `readers` is the readers' gate, if this is the
    /// gate of a pool's writer. The access that needs a connection calls `opening` without holding
    /// a lock.
    init(
        _ kind: Kind,
        labels: [String],
        probes: Configuration.ProbeLevel,
        readers: AccessGate? = nil,
        events: EventHub = EventHub(),
        dispatching: AccessDispatching = AccessDispatching(),
        opening: @escaping @Sendable (AccessSlot) throws -> Database
    ) {
        self.kind = kind
        hasTargetQueue = dispatching.target != nil
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
    ///
    /// The gate owns the slot, so the result is not retained.
    @inline(__always)
    func acquire(
        _ thread: UnsafeMutablePointer<ThreadState>,
        at site: AccessSite,
        intent: Waiter.Intent
    ) throws -> Unmanaged<AccessSlot> {
        if thread.pointee.hintGate == identity, let hint = thread.pointee.hint,
            hint._withUnsafeGuaranteedRef({
                $0.index < inUsePeak.load(ordering: .relaxed) && $0.claimIdle()
            })
        {
            return hint
        }
        return Unmanaged.passUnretained(try acquireAny(thread, at: site, intent: intent))
    }

    @inline(never)
    private func acquireAny(
        _ thread: UnsafeMutablePointer<ThreadState>,
        at site: AccessSite,
        intent: Waiter.Intent
    ) throws -> AccessSlot {
        let slot: AccessSlot
        if let freeSlot = claimForUse() {
            slot = freeSlot.database == nil ? try open(freeSlot, site) : freeSlot
        } else if let borrowed = borrow(ifAllowed: mayBorrow(thread)) {
            slot = borrowed
        } else {
            slot = try wait(thread, site, intent)
        }
        recordUse(of: slot)
        thread.pointee.hintGate = identity
        thread.pointee.hint = Unmanaged.passUnretained(slot)
        return slot
    }

    /// Acquires a free slot for an access that can use any slot.
    ///
    /// The slot may have no connection. The search tries the slots below ``inUsePeak`` first and
    /// the slots without a connection last. ``inUsePeak`` is therefore the largest number of
    /// connections in use simultaneously, although the fast path does not count its accesses.
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

    // MARK: Opening

    /// Opens a database's first connection and starts watching the write-ahead log.
    ///
    /// - Returns: The journal mode.
    func openFirst(
        _ site: AccessSite,
        configuration: Configuration,
        entersWAL: Bool,
        path: String,
        log: WALWatch
    ) throws -> String? {
        guard slots[0].claimClosed() else { return nil }
        let slot = try open(slots[0], site)
        slot.thread = ThreadState.current
        defer {
            slot.thread = nil
            release(slot)
        }
        let database = slot.openDatabase
        if entersWAL { try database.switchToWAL(path: path) }
        let mode = try database.journalMode()
        if mode == "wal" {
            database.locateWALIndex()
            if !configuration.readonly { try log.begin(on: database) }
        }
        return mode
    }

    /// Opens the connection of a slot that the caller holds.
    func open(_ slot: AccessSlot, _ site: AccessSite) throws -> AccessSlot {
        let start = monotonicNanoseconds()
        slot.probe.beginOpening(site)
        do {
            // The user's closures run while the connection opens, and may wait for other
            // connections.
            slot.install(
                try holding(CollectionOfOne(slot), on: ThreadState.current, at: site) {
                    try opening(slot)
                },
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

    // MARK: Status

    /// Whether ``retire()`` has been called.
    var isClosed: Bool { queue.withLock { $0.isClosed } }

    /// Returns the waiters, oldest first.
    func waiters(_ intent: Waiter.Intent, at now: UInt64) -> [WaiterStatus] {
        // Reads the waiters while holding the lock, because a waiter that has left the queue may no
        // longer have a sleeper.
        queue.withLock { queue in
            queue.waiters.filter { $0.intent == intent }.map { $0.status(at: now) }
        }
    }

    /// Returns the time, in nanoseconds, during which an access that the status includes waited.
    func saturatedNanoseconds(at now: UInt64) -> UInt64 {
        queue.withLock { $0.saturatedNanoseconds(at: now) }
    }

    var failedOpenings: UInt64 { failures.load(ordering: .relaxed) }

    var acquisitions: (histogram: AtomicHistogram, count: UInt64) {
        (slowAcquisitions, slowCount.load(ordering: .relaxed))
    }

    /// The waits and holds that the status excludes, or `nil` if it includes all of them.
    var baseline: AccessBaseline? { storedBaseline.withLock { $0 } }

    /// Resets the waits, holds, and peaks of ``DatabaseStatus``.
    ///
    /// This method resets the peaks before the times, so the new peaks cover each wait in the new
    /// times. The exception is a wait that ends before this call but is recorded afterward.
    func restartTimes() {
        waiting.restart()
        inUsePeak.store(0, ordering: .sequentiallyConsistent)
        // Slots that are in use count toward the new peak.
        for slot in slots where slot.isTaken { recordUse(of: slot) }
        let baseline = AccessBaseline(of: self)
        storedBaseline.withLock { $0 = baseline }
    }
}

// MARK: - Kept read transactions

extension AccessGate {
    @inline(__always)
    var allowsKeeping: Bool { conditions.load(ordering: .relaxed) < Self.forbidding }

    /// Ends the transactions that idle connections keep, and prevents connections from keeping new
    /// ones.
    ///
    /// Each call must be balanced by a call to ``allowKeeping()``. Calls can be nested.
    func forbidKeeping() {
        conditions.wrappingAdd(Self.forbidding, ordering: .sequentiallyConsistent)
        endKeptTransactions()
        if isEnding { awaitEnding() }
        // Increments the count after the search. Until then, this caller has not written, so only
        // another process may have changed the database after a kept transaction started.
        keeper.writes.wrappingAdd(1, ordering: .releasing)
    }

    func allowKeeping() {
        conditions.wrappingSubtract(Self.forbidding, ordering: .sequentiallyConsistent)
    }

    func endIdleTransactions() {
        keeper.timerDidExpire()
        endKeptTransactions()
    }

    /// Ends the transactions that idle connections keep, without claiming other connections.
    private func endKeptTransactions() {
        // Unlike an iterator, an index does not retain each slot.
        for index in slots.indices where slots[index].keepsIdleTransaction {
            endKeptTransaction(ofIdle: slots[index])
        }
    }

    /// Ends the kept transaction of a slot, unless an access has acquired the slot.
    @inline(never)
    func endKeptTransaction(ofIdle slot: AccessSlot) {
        guard slot.claimKeeping() else { return }
        slot.database?.endKeptTransaction()
        release(slot)
    }

    /// Waits, for a limited time, for threads that are ending a kept transaction.
    @inline(never)
    private func awaitEnding() {
        let start = monotonicNanoseconds()
        let limit = keeper.longestEnding.load(ordering: .relaxed)
        while isEnding, monotonicNanoseconds() - start < limit { sched_yield() }
    }

    /// Whether a thread has claimed an idle connection to end its transaction.
    private var isEnding: Bool { slots.indices.contains { slots[$0].isEnding } }

    /// Claims a connection after another thread ends the connection's kept transaction.
    ///
    /// Waiting for this connection takes less time than opening a new connection.
    @inline(never)
    func claimAfterEnding() -> AccessSlot? {
        guard isEnding else { return nil }
        let deadline = monotonicNanoseconds() + EngineTimings.watch
        while true {
            let isLastTry = !isEnding || monotonicNanoseconds() > deadline
            if let slot = claimAny() { return slot }
            if isLastTry { return nil }
            sched_yield()
        }
    }
}
