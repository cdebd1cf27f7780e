#if canImport(Darwin)
import Dispatch
#else
// Elsewhere `DispatchQueue` does not say that it is Sendable; it is.
@preconcurrency import Dispatch
#endif

/// Runs the asynchronous accesses of one connection on a thread of Dispatch's.
///
/// So SQLite never blocks the cooperative pool. There are as many of them as connections, not as
/// waiters.
final class SlotExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(queue: DispatchQueue) { self.queue = queue }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Runs `body` later, on the executor's thread.
    func async(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    /// Runs `body` now, on the executor's queue: for a target queue that the user chose.
    func sync<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        var result: Result<T, E>?
        queue.sync { result = Result(catching: body) }
        guard let result else { fatalError("A dispatch queue did not run its work.") }
        return try result.get()
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
