/// How accesses to a database have spent their time, by phase.
///
/// One split contains all accesses that waited, and another contains a sample of the other
/// accesses. Adding the two would overstate the waits. A phase's `mean × count` is its total, in
/// nanoseconds.
public struct AccessSplit: Sendable, Codable, Equatable {
    /// The role of the connections.
    public var role: ConnectionRole
    /// Whether the accesses waited for a connection or for its opening.
    public var isContended: Bool
    /// The sampling interval: one in `interval` accesses was measured.
    ///
    /// 1 means all.
    public var interval: Int
    /// The number of measured accesses.
    public var count: UInt64
    /// Waiting for a connection.
    public var waiting: LatencySummary?
    /// Waiting for a connection to be opened.
    public var opening: LatencySummary?
    /// Starting the transaction.
    ///
    /// A write waits for the file lock in this phase.
    public var acquiringState: LatencySummary?
    /// Inside SQLite, preparing and stepping statements.
    public var insideSQLite: LatencySummary?
    /// In the caller's closure, while holding the connection.
    public var closure: LatencySummary?
    /// Ending the transaction.
    public var committing: LatencySummary?
    /// Notifying transaction observers.
    public var notifying: LatencySummary?

    /// Creates a split without times.
    public init(role: ConnectionRole, isContended: Bool, interval: Int = 1, count: UInt64 = 0) {
        self.role = role
        self.isContended = isContended
        self.interval = interval
        self.count = count
    }
}
