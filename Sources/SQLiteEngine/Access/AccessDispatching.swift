#if canImport(Darwin)
import Dispatch
#else
// Outside Darwin, `DispatchQueue` is thread-safe but not declared as `Sendable`.
@preconcurrency import Dispatch
#endif

/// Determines where the asynchronous accesses of a gate run.
struct AccessDispatching: Sendable {
    /// The quality of service of the work; used if there is no target.
    var qos = DispatchQoS.userInitiated
    /// The target queue of all work; nil for the default of Dispatch.
    var target: DispatchQueue?

    /// Makes the queue of one connection.
    func makeQueue(label: String) -> DispatchQueue {
        if let target { return DispatchQueue(label: label, target: target) }
        return DispatchQueue(label: label, qos: qos)
    }
}

extension Configuration {
    /// Determines where the readers' accesses run.
    var readDispatching: AccessDispatching { AccessDispatching(qos: qos, target: targetQueue) }

    /// Determines where the writer's accesses run; in a read-only pool, like the readers' accesses.
    var writeDispatching: AccessDispatching {
        if readonly { return readDispatching }
        return AccessDispatching(qos: qos, target: writeTargetQueue ?? targetQueue)
    }
}
