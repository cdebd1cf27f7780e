import Synchronization
import Telemetry

extension AccessGate {
    /// Runs an access of a task: waits without a thread, and runs `body` on the connection's own.
    ///
    /// A slot that was `claimed` before is taken instead, and given back at the end.
    ///
    /// - Throws: `CancellationError` at once when the task is cancelled while it waits; when it
    ///   is cancelled later, the statement that runs is interrupted and the access rolls back.
    func perform<T: Sendable>(
        _ site: AccessSite,
        _ intent: Waiter.Intent,
        holding claimed: AccessSlot? = nil,
        _ body: @Sendable (Database) throws -> T
    ) async throws -> T {
        // Who holds a connection goes through with it, so that it is given back.
        if claimed == nil { try Task.checkCancellation() }
        let access = TaskAccess(gate: self, site: site, intent: intent, claimed: claimed)
        return try await withTaskCancellationHandler {
            try await access.run(body)
        } onCancel: {
            access.cancel()
        }
    }

    /// Runs an access for a callback: waits without a thread, and runs it on the connection's.
    ///
    /// Accesses that wait run in the order of the calls. The access ends with `body`; `failure` is
    /// called in its place when there is no connection to be had.
    func performLater(
        _ site: AccessSite,
        _ intent: Waiter.Intent,
        failure: @escaping @Sendable (any Error) -> Void,
        _ body: @escaping @Sendable (Database) -> Void
    ) {
        _ = acquire(site, intent) { [self] result in
            // On a thread of Dispatch's in each case: `failure` is the user's code, too.
            let slot = (try? result.get()) ?? slots[0]
            slot.executor.async { [self] in
                do {
                    let slot = try result.get()
                    if slot.database == nil { _ = try open(slot, site) }
                    enter(slot, ThreadState.current, site)
                    defer { leaveOpenOrNot(slot) }
                    body(slot.openDatabase)
                } catch {
                    failure(error)
                }
            }
        }
    }

    /// Takes every slot for a task: running accesses are awaited, new ones kept out.
    ///
    /// The caller gives them back with ``giveBackAll()``. It has `reserved` a slot of another gate.
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
            for slot in slots[..<held] { giveBack(slot) }
            throw error
        }
    }

    /// Ends what ``acquireAll(_:)`` began.
    func giveBackAll() {
        for slot in slots { giveBack(slot) }
    }

    /// Runs the access of a task on the connection's thread.
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
            // The next task's access needs no other thread, where this one has nobody to please.
            if !slot.executor.hasTarget { thread.pointee.leaving = Unmanaged.passUnretained(slot) }
            leaveOpenOrNot(slot)
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
            // Cancelling interrupts: that the access was cancelled is what happened.
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

/// A task's wait for one certain connection, which its cancellation may end.
private final class TaskAcquisition: Sendable {
    private struct State {
        var waiter: Waiter?
        var isCancelled = false
    }

    /// The connection, or the reason why the task gets none.
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

/// Whether the task of a running access was cancelled, and the way to stop it.
final class AccessCancellation: Sendable {
    private struct State {
        var slot: AccessSlot?
        /// Whether what runs is none of the access's.
        var isPaused = false
    }

    private let state = Lock(State())
    private let flag = Atomic<Bool>(false)

    /// The access runs on `slot` from now on.
    func begin(on slot: AccessSlot) { state.withLock { $0.slot = slot } }

    /// The access is over: nothing is interrupted any more.
    func end() { state.withLock { $0.slot = nil } }

    /// What runs from now on is not to be interrupted: the access's transaction has ended, and
    /// others are told so.
    func pause() { state.withLock { $0.isPaused = true } }

    /// Ends the pause.
    func goOn() { state.withLock { $0.isPaused = false } }

    /// Marks the access as cancelled, and interrupts what it runs, until it has ended.
    ///
    /// Once is not enough: between the access's last look at the flag and the beginning of its
    /// next statement SQLite forgets an interrupt. Whatever statement it meets later belongs to an
    /// access that is cancelled anyway.
    func cancel() {
        flag.store(true, ordering: .releasing)
        interrupt(againAfter: EngineTimings.firstInterruptPause)
    }

    private func interrupt(againAfter pause: UInt64) {
        // Inside the lock, so that the interrupt cannot meet the connection's next access.
        let isRunning = state.withLock { state in
            if !state.isPaused { _ = state.slot?.interrupt() }
            return state.slot != nil
        }
        guard isRunning else { return }
        Later.run(after: .nanoseconds(pause)) { [self] in
            interrupt(againAfter: min(pause * 2, EngineTimings.longestInterruptPause))
        }
    }

    /// Throws when the access was cancelled.
    func check() throws {
        if flag.load(ordering: .acquiring) { throw CancellationError() }
    }
}
