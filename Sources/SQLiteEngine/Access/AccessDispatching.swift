#if canImport(Darwin)
import Dispatch
#else
// Outside Darwin, `DispatchQueue` is thread-safe but not declared as `Sendable`.
@preconcurrency import Dispatch
#endif

/// Where the asynchronous accesses of a gate run.
struct AccessDispatching: Sendable {
    /// The quality of service of the work; used when there is no target.
    var qos = DispatchQoS.userInitiated
    /// The queue that all work goes through; nil for the default of Dispatch.
    var target: DispatchQueue?

    /// Makes the queue of one connection.
    func makeQueue(label: String) -> DispatchQueue {
        if let target { return DispatchQueue(label: label, target: target) }
        return DispatchQueue(label: label, qos: qos)
    }
}

extension Configuration {
    /// Where the readers' accesses run.
    var readDispatching: AccessDispatching { AccessDispatching(qos: qos, target: targetQueue) }

    /// Where the accesses of the writer run; a read-only pool runs them with those of the readers.
    var writeDispatching: AccessDispatching {
        if readonly { return readDispatching }
        return AccessDispatching(qos: qos, target: writeTargetQueue ?? targetQueue)
    }
}
