import Synchronization
import Telemetry

extension AccessGate {
    /// Waits for a connection without blocking a thread, and then runs a task's access on the
    /// connection's thread.
    ///
    /// If `claimed` is set, the access uses this slot and releases the slot at the end.
    ///
    /// - Throws: `CancellationError` as soon as the task is canceled during the wait. If the task
    ///   is canceled later, the running statement is interrupted and the access rolls back.
    func perform<T: Sendable>(
        _ site: AccessSite,
        _ intent: Waiter.Intent,
        holding claimed: AccessSlot? = nil,
        _ body: @Sendable (Database) throws -> T
    ) async throws -> T {
        // An access that already holds a connection continues, because it must release the
        // connection.
        if claimed == nil { try Task.checkCancellation() }
        let access = TaskAccess(gate: self, site: site, intent: intent, claimed: claimed)
        return try await withTaskCancellationHandler {
            try await access.run(body)
        } onCancel: {
            access.cancel()
        }
    }

    /// Waits for a connection without blocking a thread, and then runs a callback's access on the
    /// connection's thread.
    ///
    /// Waiting accesses run in call order. The access ends when `body` returns. If no connection is
    /// available, `failure` is called instead.
    func performLater(
        _ site: AccessSite,
        _ intent: Waiter.Intent,
        failure: @escaping @Sendable (any Error) -> Void,
        _ body: @escaping @Sendable (Database) -> Void
    ) {
        _ = acquire(site, intent) { [self] result in
            // Always uses a Dispatch thread, because `failure` is also user code.
            let slot = (try? result.get()) ?? slots[0]
            slot.executor.async { [self] in
                do {
                    let slot = try result.get()
                    if slot.database == nil { _ = try open(slot, site) }
                    enter(slot, ThreadState.current, site)
                    defer { leaveOpenOrClosed(slot) }
                    body(slot.openDatabase)
                } catch {
                    failure(error)
                }
            }
        }
    }

    /// Acquires every slot for a task.
    ///
    /// This method waits for running accesses and blocks new ones. The caller must release the
    /// slots with ``returnAllSlots()``. `reserved` is a slot that the caller has reserved in
    /// another gate.
    func acquireAll(_ site: AccessSite, reserved: AccessSlot) async throws {
        var held = 0
        do {
            for slot in slots {
                let holdings = Holding.all(slots[..<held], reserved, site)
                _ = try await acquireForTask(site, .write, wanted: slot, holdings: holdings)
                held += 1
                slot.database?.endKeptTransaction()
            }
        } catch {
            for slot in slots[..<held] { returnSlot(slot) }
            throw error
        }
    }

    func returnAllSlots() {
        for slot in slots { returnSlot(slot) }
    }

    func perform<T>(
        _ slot: AccessSlot,
        _ site: AccessSite,
        _ cancellation: AccessCancellation,
        _ body: (Database) throws -> T
    ) throws -> T {
        if slot.database == nil { _ = try open(slot, site) }
        let thread = ThreadState.current
        enter(slot, thread, site)
        defer {
            // Without a target queue, this thread can also run the next task's access.
            if !slot.executor.hasTarget { thread.pointee.leaving = Unmanaged.passUnretained(slot) }
            leaveOpenOrClosed(slot)
            thread.pointee.leaving = nil
        }
        let database = slot.openDatabase
        database.cancellation = cancellation
        cancellation.begin(on: slot)
        defer {
            cancellation.end()
            database.cancellation = nil
        }
        do {
            try cancellation.check()
            return try body(database)
        } catch let error as DatabaseError where error.isInterruptionError {
            // A canceled access throws `CancellationError` instead of the interrupt's error.
            try cancellation.check()
            throw error
        }
    }

    func acquireForTask(
        _ site: AccessSite,
        _ intent: Waiter.Intent,
        wanted: AccessSlot,
        holdings: [Holding] = []
    ) async throws -> AccessSlot {
        try Task.checkCancellation()
        let acquisition = TaskAcquisition(gate: self, wanted: wanted, holdings: holdings)
        return try await withTaskCancellationHandler {
            acquisition.start(site, intent)
            return try await acquisition.outcome.value().get()
        } onCancel: {
            acquisition.cancel()
        }
    }
}

/// A task's wait for one specific connection, which ends if the task is canceled.
private final class TaskAcquisition: Sendable {
    private struct State {
        var waiter: Waiter?
        var isCancelled = false
    }

    /// The connection, or the error if the task receives none.
    let outcome = Promise<Result<AccessSlot, any Error>>()

    private let gate: AccessGate
    private let wanted: AccessSlot
    private let holdings: [AccessGate.Holding]
    private let state = Lock(State())

    init(gate: AccessGate, wanted: AccessSlot, holdings: [AccessGate.Holding]) {
        self.gate = gate
        self.wanted = wanted
        self.holdings = holdings
    }

    func start(_ site: AccessSite, _ intent: Waiter.Intent) {
        let waiter = gate.acquire(
            site,
            intent,
            wanted: wanted,
            holdings: holdings,
            resume: outcome.fulfill
        )
        guard let waiter else { return }
        let isCancelled = state.withLock { state in
            state.waiter = waiter
            return state.isCancelled
        }
        if isCancelled { end(waiter) }
    }

    func cancel() {
        let waiter = state.withLock { state in
            state.isCancelled = true
            return state.waiter
        }
        if let waiter { end(waiter) }
    }

    private func end(_ waiter: Waiter) {
        guard gate.cancel(waiter) else { return }
        outcome.fulfill(.failure(CancellationError()))
    }
}

/// The cancellation state of a running access.
final class AccessCancellation: Sendable {
    private struct State {
        var slot: AccessSlot?
        /// Whether the running code, such as an observer's callback, must not be interrupted.
        var isPaused = false
    }

    private let state = Lock(State())
    private let flag = Atomic<Bool>(false)

    func begin(on slot: AccessSlot) { state.withLock { $0.slot = slot } }

    /// Ends the access, after which no statement is interrupted.
    func end() { state.withLock { $0.slot = nil } }

    /// Prevents interrupts until ``resume()`` is called.
    ///
    /// The access calls this method after its transaction ends, before it notifies observers.
    func pause() { state.withLock { $0.isPaused = true } }

    func resume() { state.withLock { $0.isPaused = false } }

    /// Marks the access as canceled and interrupts its statements until it ends.
    ///
    /// One interrupt is not enough. SQLite discards an interrupt that arrives between the access's
    /// last check of the flag and the start of its next statement. A later interrupt can stop only
    /// statements of an access that is already canceled.
    func cancel() {
        flag.store(true, ordering: .releasing)
        interrupt(againAfter: EngineTimings.firstInterruptPause)
    }

    private func interrupt(againAfter pause: UInt64) {
        // Interrupts while holding the lock, so the interrupt cannot affect the connection's next
        // access.
        let isRunning = state.withLock { state in
            if !state.isPaused { _ = state.slot?.interrupt() }
            return state.slot != nil
        }
        guard isRunning else { return }
        DelayedWork.run(after: .nanoseconds(pause)) { [self] in
            interrupt(againAfter: min(pause * 2, EngineTimings.longestInterruptPause))
        }
    }

    func check() throws {
        if flag.load(ordering: .acquiring) { throw CancellationError() }
    }
}
