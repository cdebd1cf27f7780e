/// A client's action that is not an access.
public enum ClientAction: Sendable, Equatable {
    /// Interrupts one client's accesses.
    case interrupt(client: String)
    /// Interrupts the running statement of the connection with the given label.
    case interruptConnection(String)
    /// Copies the write-ahead log to the database file.
    case checkpoint(CheckpointMode)
    /// Copies the database to a temporary file, in steps of `pagesPerStep` pages.
    case backup(pagesPerStep: Int)

    var name: String {
        switch self {
        case .interrupt, .interruptConnection: "interrupt"
        case .checkpoint: "checkpoint"
        case .backup: "backup"
        }
    }

    var isTimed: Bool { access != nil }

    var access: WorkloadAccess? {
        switch self {
        case .interrupt, .interruptConnection: nil
        case .checkpoint: .writeWithoutTransaction
        case .backup: .read
        }
    }
}
