/// A client's action that is not an access.
public enum ClientAction: Sendable, Equatable {
    /// Interrupts one client's accesses.
    case interrupt(client: String)
    /// Interrupts the running statement of the connection with the given label.
    case interruptConnection(String)
    /// Copies the write-ahead log into the database.
    case checkpoint(CheckpointMode)
    /// Copies the database into a temporary file, in steps of `pagesPerStep` pages.
    case backup(pagesPerStep: Int)

    /// The action's name in results.
    var name: String {
        switch self {
        case .interrupt, .interruptConnection: "interrupt"
        case .checkpoint: "checkpoint"
        case .backup: "backup"
        }
    }

    /// Whether the action's latencies are meaningful.
    var isTimed: Bool { access != nil }

    /// The kind of access that the action makes, if any.
    var access: WorkloadAccess? {
        switch self {
        case .interrupt, .interruptConnection: nil
        case .checkpoint: .writeWithoutTransaction
        case .backup: .read
        }
    }
}
