import WorkloadEngine

/// The error for an access that a target does not support.
package enum UnsupportedAccess: Error, CustomStringConvertible {
    case snapshotOfQueue
    case concurrentRead
    case library(String)
    case awaited(WorkloadAccess)

    package var description: String {
        switch self {
        case .snapshotOfQueue:
            "a DatabaseQueue does not support snapshots; use an arm with 'type: pool'"
        case .concurrentRead: "this arm supports neither writes nor concurrent reads"
        case .awaited(let access):
            "this arm does not support asynchronous accesses of kind \(access.rawValue)"
        case .library(let name): "the library \(name) is not part of this program"
        }
    }
}
