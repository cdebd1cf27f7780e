import WorkloadEngine

/// An error that reports an access that the server does not support.
package enum UnsupportedAccess: Error, CustomStringConvertible {
    case snapshotOfQueue
    case concurrentRead
    case library(String)
    case awaited(WorkloadAccess)

    package var description: String {
        switch self {
        case .snapshotOfQueue: "a DatabaseQueue cannot create snapshots: use an arm of type pool"
        case .concurrentRead: "this arm has no writes, and therefore no concurrent reads"
        case .awaited(let access): "accesses of kind \(access.rawValue) cannot be awaited here"
        case .library(let name): "the library \(name) is not part of this program"
        }
    }
}
