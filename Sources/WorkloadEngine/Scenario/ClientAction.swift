/// An action of a client that is not an access.
public enum ClientAction: Sendable, Equatable {
    /// Interrupts the accesses of one client.
    case interrupt(client: String)
    /// Interrupts the running statement of a connection, by its label.
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

    /// Whether its latencies are meaningful.
    var isTimed: Bool { access != nil }

    /// The kind of access that it makes, if any.
    var access: WorkloadAccess? {
        switch self {
        case .interrupt, .interruptConnection: nil
        case .checkpoint: .writeWithoutTransaction
        case .backup: .read
        }
    }
}
