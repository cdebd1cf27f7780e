#if canImport(Darwin)
import Dispatch
#else
// Outside Darwin, `DispatchQueue` is thread-safe but not declared as `Sendable`.
@preconcurrency import Dispatch
#endif

/// The dispatch settings of a gate's asynchronous accesses.
struct AccessDispatching: Sendable {
    /// The quality of service to use if no target queue is set.
    var qos = DispatchQoS.userInitiated
    /// The target queue of all work, or `nil` for Dispatch's default.
    var target: DispatchQueue?

    func makeQueue(label: String) -> DispatchQueue {
        if let target { return DispatchQueue(label: label, target: target) }
        return DispatchQueue(label: label, qos: qos)
    }
}

extension Configuration {
    var readDispatching: AccessDispatching { AccessDispatching(qos: qos, target: targetQueue) }

    /// The dispatch settings of the writer's accesses.
    ///
    /// A read-only pool uses the readers' settings.
    var writeDispatching: AccessDispatching {
        if readonly { return readDispatching }
        return AccessDispatching(qos: qos, target: writeTargetQueue ?? targetQueue)
    }
}
