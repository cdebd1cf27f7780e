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
    private let attention = Atomic<Int>(0)
    private static let waiterMask = (1 << 32) - 1
    private static let forbidding = 1 << 32
    private let queue = Lock(WaiterQueue())
    private let slowAcquisitions = AtomicHistogram()
    private let slowCount = Atomic<UInt64>(0)
    private let openedPeak = Atomic<Int>(0)
    /// What the openings took that succeeded.
    let openings = AtomicHistogram()
    private let failures = Atomic<UInt64>(0)
    /// Where the time of accesses goes.
    let times: AccessTimes
    /// What was counted before ``restartTimes()``.
    private let restart = Lock<AccessBaseline?>(nil)
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

    /// Gives a connection back.
    @inline(__always)
    func release(_ slot: AccessSlot) {
        if attention.load(ordering: .relaxed) == 0 {
            slot.giveUp(AccessSlot.State.idle)
            if attention.load(ordering: .sequentiallyConsistent) == 0 { return }
            // Somebody began to wait meanwhile, and may have looked just before; or the writer
            // looked for kept transactions just before.
            guard slot.claimIdle() else { return }
        }
        releaseAttentively(slot)
    }

    @inline(never)
    private func releaseAttentively(_ slot: AccessSlot) {
        if attention.load(ordering: .relaxed) >= Self.forbidding {
            slot.database?.endKeptTransaction()
            if readers != nil, giveBackToReservation(slot) { return }
            if !hasWaiters {
                slot.giveUp(AccessSlot.State.idle)
                guard hasWaiters, slot.claimIdle() else { return }
            }
        }
        releaseToWaiters(slot)
    }

    private var hasWaiters: Bool {
        attention.load(ordering: .sequentiallyConsistent) & Self.waiterMask != 0
    }

    // MARK: Kept transactions

    /// Whether read transactions may be kept now.
    @inline(__always)
    var allowsKeeping: Bool { attention.load(ordering: .relaxed) < Self.forbidding }

    /// Ends the transactions that idle connections keep, and lets none be kept from now on.
    ///
    /// ``allowKeeping()`` ends it; calls nest.
    func forbidKeeping() {
        attention.wrappingAdd(Self.forbidding, ordering: .sequentiallyConsistent)
        endKeptTransactions()
    }

    /// Ends what ``forbidKeeping()`` began.
    func allowKeeping() {
        attention.wrappingSubtract(Self.forbidding, ordering: .sequentiallyConsistent)
    }

    /// Ends the transactions that idle connections keep.
    ///
    /// - Returns: Whether no connection was somebody's at that moment.
    @discardableResult
    func endKeptTransactions() -> Bool {
        var hasMetAll = true
        for slot in slots {
            if slot.claimIdle() {
                slot.database?.endKeptTransaction()
                release(slot)
            } else if slot.isTaken {
                hasMetAll = false
            }
        }
        return hasMetAll
    }

    @inline(never)
    private func acquireAny(
        _ thread: UnsafeMutablePointer<ThreadState>,
        _ site: AccessSite,
        _ intent: Waiter.Intent
    ) throws -> AccessSlot {
        let slot: AccessSlot
        if let free = claimAny() {
            slot = free
        } else if let closed = claimClosed() {
            slot = try open(closed, site)
        } else if let borrowed = borrow(thread) {
            slot = borrowed
        } else {
            slot = try wait(thread, site, intent)
        }
        thread.pointee.hintGate = identity
        thread.pointee.hint = slot.index
        return slot
    }

    private func claimAny() -> AccessSlot? {
        for slot in slots where slot.claimIdle() { return slot }
        return nil
    }

    private func claimClosed() -> AccessSlot? {
        for slot in slots where !slot.isLost && slot.claimClosed() { return slot }
        return nil
    }

    /// Takes the first slot while its gate is being made; nil is impossible then.
    func claimFirstSlot() -> AccessSlot? {
        slots[0].claimClosed() ? slots[0] : nil
    }

    /// Opens the connection of a slot that the caller has claimed.
    func open(_ slot: AccessSlot, _ site: AccessSite) throws -> AccessSlot {
        let start = monotonicNanoseconds()
        slot.probe.beginOpening(site)
        do {
            slot.install(try opening(slot))
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

    // MARK: Waiting

    @inline(never)
    private func wait(
        _ thread: UnsafeMutablePointer<ThreadState>,
        _ site: AccessSite,
        _ intent: Waiter.Intent
    ) throws -> AccessSlot {
        let start = monotonicNanoseconds()
        let parker = thread.pointee.parker
        let waiter = Waiter(site: site, intent: intent, sleeper: .thread(parker), since: start)
        try enqueue(waiter)
        let deadline = start + Waiter.patience
        var isPatient = true
        while true {
            if let slot = claimAny() {
                settle(waiter)
                return acquired(slot, site, since: start)
            }
            if let closed = claimClosed() {
                settle(waiter)
                return acquired(try open(closed, site), site, since: start)
            }
            if let borrowed = borrow(thread) {
                settle(waiter)
                return acquired(borrowed, site, since: start)
            }
            parker.park(until: isPatient ? deadline : nil)
            isPatient = isPatient && monotonicNanoseconds() < deadline
            if let granted = try awaken(waiter) {
                let slot = granted.database == nil ? try open(granted, site) : granted
                return acquired(slot, site, since: start)
            }
        }
    }

    /// What a waiter finds when its thread has woken up: the slot that was granted to it
    /// meanwhile, or one that is in the moment in which it is awake anyway.
    ///
    /// Handing a slot to a thread that is awake costs nobody the time of waking it.
    private func awaken(_ waiter: Waiter) throws -> AccessSlot? {
        let (granted, isClosed) = queue.withLock { queue in
            waiter.isNotified = false
            waiter.isWatching = waiter.granted == nil && !queue.isClosed
            return (waiter.granted, queue.isClosed)
        }
        if let granted { return granted }
        if isClosed { throw DatabaseError.connectionIsClosed() }
        // What came free before anybody could know that this thread watches.
        if let slot = claimAny() {
            settle(waiter)
            return slot
        }
        waiter.watch()
        return queue.withLock { queue in
            waiter.isWatching = false
            return waiter.granted
        }
    }

    private func acquired(
        _ slot: AccessSlot,
        _ site: AccessSite,
        since start: UInt64
    ) -> AccessSlot {
        slot.probe.noteWait(since: start, for: site)
        slowAcquisitions.record(monotonicNanoseconds() &- start)
        slowCount.wrappingAdd(1, ordering: .relaxed)
        return slot
    }

    /// Adds a waiter, so that those who release see it from now on.
    private func enqueue(_ waiter: Waiter) throws {
        let isClosed = queue.withLock { queue in
            if !queue.isClosed {
                queue.append(waiter, at: waiter.since)
                attention.wrappingAdd(1, ordering: .sequentiallyConsistent)
            }
            return queue.isClosed
        }
        if isClosed { throw DatabaseError.connectionIsClosed() }
    }

    /// Takes a waiter that served itself out of the queue, and passes on what it got too much:
    /// a slot granted at the same moment, or a wake-up that another could use.
    private func settle(_ waiter: Waiter) {
        let (granted, wasNotified) = queue.withLock { queue in
            if queue.remove(waiter, at: monotonicNanoseconds()) {
                attention.wrappingSubtract(1, ordering: .sequentiallyConsistent)
            }
            return (waiter.granted, waiter.isNotified)
        }
        if let granted { giveBack(granted) }
        if wasNotified { wakeOne() }
    }

    /// Gives a connection that is free, or a place to open one, to those who wait.
    private func wakeOne() {
        guard hasWaiters else { return }
        if let slot = claimAny() ?? claimClosed() { releaseToWaiters(slot) }
    }

    @inline(never)
    private func releaseToWaiters(_ slot: AccessSlot) {
        let (decision, isAwake) = queue.withLock { queue in
            let decision = queue.release(slot, at: monotonicNanoseconds())
            switch decision {
            case .grant(let waiter):
                attention.wrappingSubtract(1, ordering: .sequentiallyConsistent)
                return (decision, waiter.isWatching)
            // Inside the lock: a waiter that appends itself afterwards finds the slot free.
            case .free, .notify:
                slot.giveUp(
                    slot.database == nil ? AccessSlot.State.closed : AccessSlot.State.idle
                )
                return (decision, false)
            }
        }
        switch decision {
        case .free: break
        case .grant where isAwake: break
        case .notify(let waiter):
            if case .thread(let parker) = waiter.sleeper { parker.unpark() }
        case .grant(let waiter):
            switch waiter.takeSleeper() {
            case .thread(let parker): parker.unpark()
            case .task(let resume): resume(.success(slot))
            case .nobody: break
            }
        }
    }

    // MARK: Tasks

    /// Takes a connection for a task or a callback: now, or when `resume` is called.
    ///
    /// `resume` is called once, on any thread: with a slot that is the task's, whose connection
    /// may still have to be opened, or with the error that the gate was closed.
    ///
    /// When a slot is `wanted`, no other will do.
    ///
    /// - Returns: What waits, for ``cancel(_:)``; nil when `resume` was called already.
    func acquire(
        _ site: AccessSite,
        _ intent: Waiter.Intent,
        wanted: AccessSlot? = nil,
        resume: @escaping @Sendable (Result<AccessSlot, any Error>) -> Void
    ) -> Waiter? {
        let start = monotonicNanoseconds()
        // Behind those who wait: the order of the asynchronous accesses is a promise.
        if wanted != nil || !hasWaiters, let slot = claim(wanted) {
            resume(.success(slot))
            return nil
        }
        let waiter = Waiter(
            site: site,
            intent: intent,
            sleeper: .task { [self] result in
                if case .success(let slot) = result, wanted == nil {
                    _ = acquired(slot, site, since: start)
                }
                resume(result)
            },
            since: start,
            wanted: wanted
        )
        do {
            try enqueue(waiter)
        } catch {
            resume(.failure(error))
            return nil
        }
        // A connection may have come free before the waiter could be seen.
        if let slot = claim(wanted) { giveBack(slot) }
        return waiter
    }

    /// Takes a slot that is free, with or without a connection.
    private func claim(_ wanted: AccessSlot?) -> AccessSlot? {
        guard let wanted else { return claimAny() ?? claimClosed() }
        return wanted.claimIdle() || wanted.claimClosed() ? wanted : nil
    }

    /// Takes a task's waiter back.
    ///
    /// - Returns: Whether it still waited: then it will never be resumed.
    func cancel(_ waiter: Waiter) -> Bool {
        queue.withLock { queue in
            let isOurs = queue.remove(waiter, at: monotonicNanoseconds())
            if isOurs { _ = waiter.takeSleeper() }
            if isOurs { attention.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
            return isOurs
        }
    }

    // MARK: All connections at once

    /// Runs `body` while every slot is held: running accesses are awaited, new ones kept out.
    ///
    /// All who want them all take them in the same order, so that two never wait for each other.
    /// With a pool's readers that is not enough: see
    /// ``withAllConnections(_:_:readers:_:)``.
    func withAllSlots<T>(
        _ thread: UnsafeMutablePointer<ThreadState>,
        _ site: AccessSite,
        _ body: ([AccessSlot]) throws -> T
    ) throws -> T {
        let held = try takeAll(thread, site)
        return try using(held, thread, body)
    }

    /// Like ``withAllSlots(_:_:_:)``, but does nothing when the gate is closed by then.
    func withAllSlotsUnlessClosed(
        _ thread: UnsafeMutablePointer<ThreadState>,
        _ site: AccessSite,
        _ body: ([AccessSlot]) throws -> Void
    ) throws {
        let held: [AccessSlot]
        do {
            held = try takeAll(thread, site)
        } catch {
            if isClosed { return }
            throw error
        }
        try using(held, thread, body)
    }

    private func takeAll(
        _ thread: UnsafeMutablePointer<ThreadState>,
        _ site: AccessSite
    ) throws -> [AccessSlot] {
        var held: [AccessSlot] = []
        do {
            for slot in slots {
                try take(slot, thread, site)
                held.append(slot)
                slot.database?.endKeptTransaction()
            }
        } catch {
            for slot in held { giveBack(slot) }
            throw error
        }
        return held
    }

    private func using<T>(
        _ held: [AccessSlot],
        _ thread: UnsafeMutablePointer<ThreadState>,
        _ body: ([AccessSlot]) throws -> T
    ) rethrows -> T {
        defer { for slot in held { giveBack(slot) } }
        // An access of this thread would wait for itself: it finds itself inside of this one.
        let mark = held.first { $0.database != nil } ?? held[0]
        mark.outer = thread.pointee.innermost
        mark.thread = thread
        thread.pointee.innermost = Unmanaged.passUnretained(mark)
        defer {
            thread.pointee.innermost = mark.outer
            mark.outer = nil
        }
        return try body(held)
    }

    /// Says whether the slot is kept for somebody, to those who give it back.
    func setReserved(_ isReserved: Bool) {
        queue.withLock { $0.isReserved = isReserved }
    }

    /// Gives a slot that was borrowed back to whom it is reserved for, if it is.
    private func giveBackToReservation(_ slot: AccessSlot) -> Bool {
        let isReserved = queue.withLock { queue in
            if queue.isReserved { slot.giveUp(AccessSlot.State.reserved) }
            return queue.isReserved
        }
        if isReserved { wakeBorrowers() }
        return isReserved
    }

    /// Has the threads that wait look whether they may borrow.
    func wakeBorrowers() {
        queue.withLock { queue in
            for waiter in queue.waiters {
                if case .thread(let parker) = waiter.sleeper { parker.unpark() }
            }
        }
    }

    /// Takes one certain slot, open or not.
    func take(
        _ slot: AccessSlot,
        _ thread: UnsafeMutablePointer<ThreadState>,
        _ site: AccessSite
    ) throws {
        if slot.claimIdle() || slot.claimClosed() { return }
        let parker = thread.pointee.parker
        let waiter = Waiter(
            site: site,
            intent: .write,
            sleeper: .thread(parker),
            since: monotonicNanoseconds(),
            wanted: slot
        )
        try enqueue(waiter)
        while true {
            if slot.claimIdle() || slot.claimClosed() {
                let wasWaiting = cancel(waiter)
                if !wasWaiting, let granted = waiter.granted, granted !== slot {
                    release(granted)
                }
                return
            }
            parker.park()
            let (granted, isClosed) = queue.withLock { (waiter.granted, $0.isClosed) }
            if granted != nil { return }
            if isClosed { throw DatabaseError.connectionIsClosed() }
        }
    }

    /// Gives back a slot that may have no connection.
    func giveBack(_ slot: AccessSlot) {
        if queue.withLock({ $0.isClosed }) {
            slot.giveUp(AccessSlot.State.retired)
        } else if slot.database == nil {
            slot.giveUp(AccessSlot.State.closed)
            // A task that waits, or a barrier, does not look for itself: it must be handed over.
            if hasWaiters, slot.claimClosed() { releaseToWaiters(slot) }
        } else {
            release(slot)
        }
    }

    /// Refuses all further accesses, and those who wait throw.
    ///
    /// The caller holds all slots.
    func retire() {
        let waiters = queue.withLock { queue in
            queue.isClosed = true
            let waiters = queue.removeAll(at: monotonicNanoseconds())
            attention.wrappingSubtract(waiters.count, ordering: .sequentiallyConsistent)
            return waiters
        }
        for waiter in waiters {
            switch waiter.takeSleeper() {
            case .thread(let parker): parker.unpark()
            case .task(let resume): resume(.failure(DatabaseError.connectionIsClosed()))
            case .nobody: break
            }
        }
    }

    // MARK: Looking

    /// Whether ``retire()`` was called.
    var isClosed: Bool { queue.withLock { $0.isClosed } }

    /// Those who wait, oldest first.
    func waiters(_ intent: Waiter.Intent, at now: UInt64) -> [WaiterStatus] {
        // Inside the lock: outside of it a waiter may lose its sleeper.
        queue.withLock { queue in
            queue.waiters.filter { $0.intent == intent }.map { $0.status(at: now) }
        }
    }

    /// The time in which somebody waited, in nanoseconds.
    func saturatedNanoseconds(at now: UInt64) -> UInt64 {
        queue.withLock { $0.saturatedNanoseconds(at: now) }
    }

    /// How many connections could not be opened.
    var failedOpenings: UInt64 { failures.load(ordering: .relaxed) }

    /// The most connections that were open: one is opened only when all others are in use.
    var peak: Int { openedPeak.load(ordering: .relaxed) }

    /// The waits of those who had to wait, and how many there were.
    var acquisitions: (histogram: AtomicHistogram, count: UInt64) {
        (slowAcquisitions, slowCount.load(ordering: .relaxed))
    }

    /// What status leaves out of waits and holds; nil when nothing.
    var baseline: AccessBaseline? { restart.withLock { $0 } }

    /// Lets the waits and holds of ``DatabaseStatus`` count anew from now on.
    func restartTimes() {
        let baseline = AccessBaseline(of: self)
        restart.withLock { $0 = baseline }
    }
}
