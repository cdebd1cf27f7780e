import Dispatch

/// Runs the asynchronous accesses of one connection on a thread of Dispatch's.
///
/// So SQLite never blocks the cooperative pool. There are as many of them as connections, not as waiters.
final class SlotExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Runs `body` on the executor's thread.
    func run<T: Sendable>(_ body: @Sendable () throws -> T) async throws -> T {
        try await Isolation(executor: self).run(body)
    }

    /// An actor whose only state is the executor that it runs on.
    private actor Isolation {
        private let executor: SlotExecutor

        init(executor: SlotExecutor) { self.executor = executor }

        nonisolated var unownedExecutor: UnownedSerialExecutor {
            executor.asUnownedSerialExecutor()
        }

        func run<T: Sendable>(_ body: @Sendable () throws -> T) throws -> T { try body() }
    }
}
