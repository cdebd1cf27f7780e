#if canImport(Darwin)
import Dispatch
#else
// Outside Darwin, `DispatchQueue` is thread-safe but not declared as `Sendable`.
@preconcurrency import Dispatch
#endif

/// Determines where a gate's asynchronous accesses run.
struct AccessDispatching: Sendable {
    /// The quality of service of the work if no target queue is set.
    var qos = DispatchQoS.userInitiated
    /// The target queue of all work, or `nil` for Dispatch's default.
    var target: DispatchQueue?

    /// Creates the queue of one connection.
    func makeQueue(label: String) -> DispatchQueue {
        if let target { return DispatchQueue(label: label, target: target) }
        return DispatchQueue(label: label, qos: qos)
    }
}

extension Configuration {
    /// Determines where the readers' accesses run.
    var readDispatching: AccessDispatching { AccessDispatching(qos: qos, target: targetQueue) }

    /// Determines where the writer's accesses run.
    ///
    /// In a read-only pool, they run like the readers' accesses.
    var writeDispatching: AccessDispatching {
        if readonly { return readDispatching }
        return AccessDispatching(qos: qos, target: writeTargetQueue ?? targetQueue)
    }
}
