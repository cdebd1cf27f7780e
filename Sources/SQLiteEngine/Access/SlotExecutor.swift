#if canImport(Darwin)
import Dispatch
#else
// Outside Darwin, `DispatchQueue` is thread-safe but not declared as `Sendable`.
@preconcurrency import Dispatch
#endif

/// An executor that runs the asynchronous accesses of one connection on a Dispatch thread.
///
/// SQLite therefore never blocks the cooperative thread pool. Each connection has one executor,
/// regardless of the number of waiters.
final class SlotExecutor: Sendable {
    /// Whether the configuration specifies a queue for the work, which may also run other work.
    let hasTarget: Bool
    private let queue: DispatchQueue

    init(_ dispatching: AccessDispatching, label: String) {
        hasTarget = dispatching.target != nil
        queue = dispatching.makeQueue(label: label)
    }

    func async(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    func sync<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        var result: Result<T, E>?
        queue.sync { result = Result(catching: body) }
        guard let result else { fatalError("A dispatch queue did not run its work.") }
        return try result.get()
    }
}
