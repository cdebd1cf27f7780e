import Text

/// The reason that a database was busy.
public enum BusyCause: String, Sendable, Codable, CaseIterable {
    /// The busy handler waited until its timeout expired.
    case timeout
    /// A transaction tried to write after a read, while a different connection was writing or had
    /// written since the read.
    ///
    /// Waiting cannot resolve this conflict.
    case snapshotUpgrade = "snapshot-upgrade"
    /// Another connection was recovering the write-ahead log.
    case recovery
    /// Another connection blocked a checkpoint.
    case checkpoint
    /// The connection has no busy timeout.
    case noTimeout = "no-timeout"

    package var title: String { rawValue.replacing("-", with: " ") }

    /// Returns the remedy for failures with this cause, without a final period.
    ///
    /// The busy timeout is in nanoseconds, or `nil` if unknown.
    package func remedy(timeout: UInt64?, holder: String?, client: String) -> String {
        let raise = "raise the busy timeout"
        let longer =
            switch timeout {
            case nil: "\(raise) (`busy: {timeout: 5s}`)"
            case 0: "set a busy timeout (`busy: {timeout: 5s}`)"
            case let timeout?: "\(raise) above \(HumanUnits.duration(nanoseconds: timeout))"
            }
        let transaction =
            switch holder {
            case nil: "the transaction that holds the lock"
            case client?: "the transactions of \(client)"
            case let holder?: "the transaction of \(holder)"
            }
        return switch self {
        case .timeout: "\(longer), or shorten \(transaction)"
        case .snapshotUpgrade: "start the transaction with BEGIN IMMEDIATE: `begin: immediate`"
        case .recovery:
            "\(longer), because recovering the log takes only a moment"
        case .checkpoint:
            "shorten \(transaction), or use `mode: passive`, which does not wait"
        case .noTimeout: "set a busy timeout: `busy: {timeout: 5s}`"
        }
    }
}
