#if canImport(Darwin)
import Dispatch
#else
// Outside Darwin, `DispatchQueue` is thread-safe but not declared as `Sendable`.
@preconcurrency import Dispatch
#endif

/// Runs the asynchronous accesses of one connection on a Dispatch thread.
///
/// So SQLite never blocks the cooperative pool. There are as many of them as connections, not as
/// waiters.
final class SlotExecutor: Sendable {
    /// Whether the work goes through a queue that the user has chosen, with other work beside it.
    let hasTarget: Bool
    private let queue: DispatchQueue

    init(_ dispatching: AccessDispatching, label: String) {
        hasTarget = dispatching.target != nil
        queue = dispatching.makeQueue(label: label)
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
}
