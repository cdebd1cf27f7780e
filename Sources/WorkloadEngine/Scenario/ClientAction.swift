/// What a client can do beside accesses of its own.
public enum ClientAction: Sendable, Equatable {
    /// Interrupts what one client runs.
    case interrupt(client: String)
    /// Interrupts what runs on one connection, by its label.
    case interruptConnection(String)
    /// Copies the write-ahead log into the database.
    case checkpoint(CheckpointMode)
    /// Copies the database into a temporary file, so many pages at a time.
    case backup(pagesPerStep: Int)

    /// What it is, in a word, for results.
    var name: String {
        switch self {
        case .interrupt, .interruptConnection: "interrupt"
        case .checkpoint: "checkpoint"
        case .backup: "backup"
        }
    }

    /// Whether its latencies mean something.
    var isTimed: Bool { access != nil }

    /// The kind of access that it makes; nil when it makes none.
    var access: WorkloadAccess? {
        switch self {
        case .interrupt, .interruptConnection: nil
        case .checkpoint: .writeWithoutTransaction
        case .backup: .read
        }
    }
}
