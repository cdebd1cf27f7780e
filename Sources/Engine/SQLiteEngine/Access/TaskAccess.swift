import Synchronization
import Telemetry

#if canImport(Darwin)
import Dispatch
#else
// Outside Darwin, `DispatchQueue` is thread-safe but not declared as `Sendable`.
@preconcurrency import Dispatch
#endif

/// A task's access, which waits without blocking a thread and runs on a connection's thread.
///
/// The actor is its own executor, and its only job is the access. While no connection is free, the
/// executor stores the job. When another task's access releases its connection to this task, the
/// same Dispatch thread runs the job. As a result, a task switches threads twice per access, and a
/// busy pool wakes no thread between accesses.
actor TaskAccess: SerialExecutor {
    private struct State {
        var job: UnownedJob?
        var waiter: Waiter?
        /// The acquired connection, or the error if the access receives none.
        var outcome: Result<AccessSlot, any Error>?
        var isCancelled = false
    }

    private let gate: AccessGate
    private let site: AccessSite
    private let intent: Waiter.Intent
    private let claimed: AccessSlot?
    private let cancellation = AccessCancellation()
    private let state = Lock(State())

    /// Creates an access, which does not wait if `claimed` is set.
    init(gate: AccessGate, site: AccessSite, intent: Waiter.Intent, claimed: AccessSlot? = nil) {
        self.gate = gate
        self.site = site
        self.intent = intent
        self.claimed = claimed
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { asUnownedSerialExecutor() }

    func run<T: Sendable>(_ body: @Sendable (Database) throws -> T) throws -> T {
        guard let outcome = state.withLock({ $0.outcome }) else {
            fatalError("An access ran without a connection.")
        }
        return try gate.perform(try outcome.get(), site, cancellation, body)
    }

    // MARK: The executor

    nonisolated func enqueue(_ job: consuming ExecutorJob) {
        // A resumed task may run on another thread, end, and release this executor before this
        // method returns. The runtime does not retain the executor for the caller.
        let retained = Self.retain(self)
        defer { Self.release(retained) }
        let job = UnownedJob(job)
        if let claimed {
            state.withLock { $0.job = job }
            resume(with: .success(claimed))
            return
        }
        let isCancelled = state.withLock { state in
            state.job = job
            if state.isCancelled { state.outcome = .failure(CancellationError()) }
            return state.isCancelled
        }
        if isCancelled {
            runOnDispatchThread()
            return
        }
        guard let waiter = gate.acquire(site, intent: intent, resume: resume) else { return }
        let mustCancel = state.withLock { state in
            state.waiter = waiter
            return state.isCancelled
        }
        if mustCancel { stopWaiting(waiter) }
    }

    // These methods are separate because the compiler assumes that a method's caller retains the
    // object. Within one method, the compiler would remove the retain and the release.

    @inline(never)
    private static func retain(_ access: TaskAccess) -> Unmanaged<TaskAccess> {
        .passRetained(access)
    }

    @inline(never)
    private static func release(_ access: Unmanaged<TaskAccess>) { access.release() }

    private nonisolated func resume(with outcome: Result<AccessSlot, any Error>) {
        state.withLock { $0.outcome = outcome }
        guard case .success(let slot) = outcome else {
            runOnDispatchThread()
            return
        }
        let thread = ThreadState.current
        let reference = Unmanaged.passUnretained(slot)
        if thread.pointee.releasingSlot?.toOpaque() == reference.toOpaque() {
            thread.pointee.successor = Unmanaged.passRetained(self)
        } else {
            slot.executor.async { self.runJobAndSuccessors() }
        }
    }

    /// Runs this access, and then each access that receives the connection from this thread.
    private nonisolated func runJobAndSuccessors() {
        let thread = ThreadState.current
        runJob()
        while let next = thread.pointee.successor {
            thread.pointee.successor = nil
            next.takeRetainedValue().runJob()
        }
    }

    /// Delivers the error to the task on a thread that no connection can block.
    private nonisolated func runOnDispatchThread() {
        DispatchQueue.global(qos: .userInitiated).async { self.runJob() }
    }

    private nonisolated func runJob() {
        let job = state.withLock { state in
            defer { state.job = nil }
            return state.job
        }
        job?.runSynchronously(on: asUnownedSerialExecutor())
    }

    // MARK: Cancellation

    /// Ends the wait immediately, or interrupts the running statement.
    nonisolated func cancel() {
        cancellation.cancel()
        let waiter = state.withLock { state in
            state.isCancelled = true
            return state.waiter
        }
        if let waiter { stopWaiting(waiter) }
    }

    private nonisolated func stopWaiting(_ waiter: Waiter) {
        guard gate.cancel(waiter) else { return }
        state.withLock { $0.outcome = .failure(CancellationError()) }
        runOnDispatchThread()
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
    private let wasCancelled = Atomic<Bool>(false)

    func begin(on slot: AccessSlot) { state.withLock { $0.slot = slot } }

    /// Ends the access and prevents later interrupts.
    func end() { state.withLock { $0.slot = nil } }

    /// Prevents interrupts until ``resume()`` is called.
    ///
    /// The access calls this method after its transaction ends, before it notifies observers.
    func pause() { state.withLock { $0.isPaused = true } }

    func resume() { state.withLock { $0.isPaused = false } }

    /// Marks the access as canceled and interrupts its statements until the access ends.
    ///
    /// One interrupt is not enough. SQLite discards an interrupt that arrives between the access's
    /// last check for cancellation and the start of its next statement. Later interrupts affect
    /// only the statements of this canceled access.
    func cancel() {
        wasCancelled.store(true, ordering: .releasing)
        interrupt(againAfter: EngineTimings.firstInterruptPause)
    }

    private func interrupt(againAfter pause: UInt64) {
        // Interrupts while holding the lock, so that the interrupt cannot affect the connection's
        // next access.
        let isRunning = state.withLock { state in
            if !state.isPaused { _ = state.slot?.interrupt() }
            return state.slot != nil
        }
        guard isRunning else { return }
        DelayedWork.run(after: .nanoseconds(pause)) { [self] in
            interrupt(againAfter: min(pause * 2, EngineTimings.longestInterruptPause))
        }
    }

    var isCancelled: Bool { wasCancelled.load(ordering: .acquiring) }

    func check() throws { if isCancelled { throw CancellationError() } }
}

/// A task's wait for one specific connection, which ends if the task is canceled.
final class TaskAcquisition: Sendable {
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

    func start(_ site: AccessSite, intent: Waiter.Intent) {
        let waiter = gate.acquire(
            site,
            intent: intent,
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
