import Telemetry

#if canImport(Darwin)
import Dispatch
#else
// Outside Darwin, `DispatchQueue` is thread-safe but not declared as `Sendable`.
@preconcurrency import Dispatch
#endif

/// One access of a task: it waits for a connection without a thread, and runs on the connection's.
///
/// It is the executor of its own: the task's only job on it is the access. While no connection is
/// free the job lies here; whoever gives one up runs it, and a Dispatch thread that gives one
/// up to the next task goes on with that task's access itself. So a task hops twice for an access,
/// and in a busy pool no thread is woken in between.
actor TaskAccess: SerialExecutor {
    private struct State {
        /// What the task waits to run.
        var job: UnownedJob?
        var waiter: Waiter?
        /// The connection that the access got, or the reason why it gets none.
        var outcome: Result<AccessSlot, any Error>?
        var isCancelled = false
    }

    private let gate: AccessGate
    private let site: AccessSite
    private let intent: Waiter.Intent
    private let claimed: AccessSlot?
    private let cancellation = AccessCancellation()
    private let state = Lock(State())

    /// Creates an access; with a slot that was `claimed` for it, it does not wait.
    init(gate: AccessGate, site: AccessSite, intent: Waiter.Intent, claimed: AccessSlot? = nil) {
        self.gate = gate
        self.site = site
        self.intent = intent
        self.claimed = claimed
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { asUnownedSerialExecutor() }

    /// Runs the access, on the thread that this executor was given.
    func run<T: Sendable>(_ body: @Sendable (Database) throws -> T) throws -> T {
        guard let outcome = state.withLock({ $0.outcome }) else {
            fatalError("An access runs without a connection.")
        }
        return try gate.perform(try outcome.get(), site, cancellation, body)
    }

    // MARK: The executor

    nonisolated func enqueue(_ job: consuming ExecutorJob) {
        // Once it can be resumed, the task may run on another thread, end, and let go of this
        // executor before this method has ended; the runtime does not keep it for the caller.
        let this = Self.keep(self)
        defer { Self.letGo(this) }
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
            runElsewhere()
            return
        }
        guard let waiter = gate.acquire(site, intent, resume: resume) else { return }
        let mustCancel = state.withLock { state in
            state.waiter = waiter
            return state.isCancelled
        }
        if mustCancel { stopWaiting(waiter) }
    }

    // Calls of their own: the compiler takes a method's own object for kept by its caller, and
    // would leave such a pair out.

    @inline(never)
    private static func keep(_ access: TaskAccess) -> Unmanaged<TaskAccess> {
        .passRetained(access)
    }

    @inline(never)
    private static func letGo(_ access: Unmanaged<TaskAccess>) { access.release() }

    /// The access gets its connection, or an error in place of one.
    private nonisolated func resume(with outcome: Result<AccessSlot, any Error>) {
        state.withLock { $0.outcome = outcome }
        guard case .success(let slot) = outcome else {
            runElsewhere()
            return
        }
        let thread = ThreadState.current
        let place = Unmanaged.passUnretained(slot)
        if thread.pointee.leaving?.toOpaque() == place.toOpaque() {
            thread.pointee.successor = Unmanaged.passRetained(self)
        } else {
            slot.executor.async { self.runAndGoOn() }
        }
    }

    /// Runs the access, then those to which its thread gave the connection up.
    private nonisolated func runAndGoOn() {
        let thread = ThreadState.current
        runJob()
        while let next = thread.pointee.successor {
            thread.pointee.successor = nil
            next.takeRetainedValue().runJob()
        }
    }

    /// Lets the task find its error, on a thread that no connection can keep busy.
    private nonisolated func runElsewhere() {
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

    /// Ends the wait at once, or interrupts what runs.
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
        runElsewhere()
    }
}
