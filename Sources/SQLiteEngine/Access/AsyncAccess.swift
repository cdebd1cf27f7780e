import Synchronization
import Telemetry

extension AccessGate {
    /// Runs an access of a task: waits without blocking a thread, then runs `body` on the thread of
    /// the connection.
    ///
    /// If a slot was `claimed` before, the access uses this slot and releases it at the end.
    ///
    /// - Throws: `CancellationError` immediately when the task is cancelled while it waits. If the
    ///   task is cancelled later, the running statement is interrupted and the access rolls back.
    func perform<T: Sendable>(
        _ site: AccessSite,
        _ intent: Waiter.Intent,
        holding claimed: AccessSlot? = nil,
        _ body: @Sendable (Database) throws -> T
    ) async throws -> T {
        // An access that holds a connection continues, so that it releases the connection.
        if claimed == nil { try Task.checkCancellation() }
        let access = TaskAccess(gate: self, site: site, intent: intent, claimed: claimed)
        return try await withTaskCancellationHandler {
            try await access.run(body)
        } onCancel: {
            access.cancel()
        }
    }

    /// Runs an access for a callback: waits without blocking a thread, then runs `body` on the
    /// thread of the connection.
    ///
    /// Waiting accesses run in the order of the calls. The access ends with `body`. If there is no
    /// connection, `failure` is called instead.
    func performLater(
        _ site: AccessSite,
        _ intent: Waiter.Intent,
        failure: @escaping @Sendable (any Error) -> Void,
        _ body: @escaping @Sendable (Database) -> Void
    ) {
        _ = acquire(site, intent) { [self] result in
            // Always on a Dispatch thread, because `failure` is user code too.
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

    /// Acquires every slot for a task: waits for running accesses and keeps new ones out.
    ///
    /// The caller releases them with ``returnAllSlots()``, and has `reserved` a slot of another
    /// gate.
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

    /// Releases the slots that ``acquireAll(_:)`` acquired.
    func returnAllSlots() {
        for slot in slots { returnSlot(slot) }
    }

    /// Runs the access of a task on the thread of the connection.
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
            // Without a target queue, this thread can also run the access of the next task.
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
            // A cancelled access throws `CancellationError`, not the error of the interrupt.
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

/// A task's wait for one specific connection; cancelling the task ends the wait.
private final class TaskAcquisition: Sendable {
    private struct State {
        var waiter: Waiter?
        var isCancelled = false
    }

    /// The connection, or the reason why the task does not receive one.
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

/// The cancellation state of a running access, and a way to interrupt it.
final class AccessCancellation: Sendable {
    private struct State {
        var slot: AccessSlot?
        /// Whether the running code, such as an observer's callback, must not be interrupted.
        var isPaused = false
    }

    private let state = Lock(State())
    private let flag = Atomic<Bool>(false)

    /// Starts the access on `slot`.
    func begin(on slot: AccessSlot) { state.withLock { $0.slot = slot } }

    /// Ends the access; no statement is interrupted from now on.
    func end() { state.withLock { $0.slot = nil } }

    /// Prevents interrupts from now on: the transaction of the access has ended, and observers are
    /// being notified.
    func pause() { state.withLock { $0.isPaused = true } }

    /// Allows interrupts again after ``pause()``.
    func resume() { state.withLock { $0.isPaused = false } }

    /// Marks the access as cancelled, and interrupts its statements until it has ended.
    ///
    /// One interrupt is not enough: SQLite discards an interrupt that arrives after the access has
    /// last checked the flag and before its next statement starts. Any statement that a later
    /// interrupt stops belongs to an access that is cancelled anyway.
    func cancel() {
        flag.store(true, ordering: .releasing)
        interrupt(againAfter: EngineTimings.firstInterruptPause)
    }

    private func interrupt(againAfter pause: UInt64) {
        // Inside the lock, so that the interrupt cannot affect the next access of the connection.
        let isRunning = state.withLock { state in
            if !state.isPaused { _ = state.slot?.interrupt() }
            return state.slot != nil
        }
        guard isRunning else { return }
        DelayedWork.run(after: .nanoseconds(pause)) { [self] in
            interrupt(againAfter: min(pause * 2, EngineTimings.longestInterruptPause))
        }
    }

    /// Throws if the access was cancelled.
    func check() throws {
        if flag.load(ordering: .acquiring) { throw CancellationError() }
    }
}
