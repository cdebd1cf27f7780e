/// How accesses to a database have spent their time, by phase.
///
/// One split covers all accesses that waited, and another covers a sample of the other accesses.
/// Adding both would overstate the waits. The total time of a phase is its `mean × count`, in
/// nanoseconds.
public struct AccessSplit: Sendable, Codable, Equatable {
    /// The role of the connections.
    public var role: ConnectionRole
    /// Whether the accesses waited for a connection or for its opening.
    public var isContended: Bool
    /// The sampling interval: one in `interval` accesses was measured, or all accesses if it is 1.
    public var interval: Int
    /// The number of measured accesses.
    public var count: UInt64
    /// The time spent waiting for a connection.
    public var waiting: LatencySummary?
    /// The time spent waiting for a connection to be opened.
    public var opening: LatencySummary?
    /// The time spent starting the transaction.
    ///
    /// A write waits for the file lock in this phase.
    public var acquiringState: LatencySummary?
    /// The time spent inside SQLite, preparing and stepping statements.
    public var insideSQLite: LatencySummary?
    /// The time spent in the caller's closure while holding the connection.
    public var closure: LatencySummary?
    /// The time spent ending the transaction.
    public var committing: LatencySummary?
    /// The time spent notifying transaction observers.
    public var notifying: LatencySummary?

    /// Creates a split without times.
    public init(role: ConnectionRole, isContended: Bool, interval: Int = 1, count: UInt64 = 0) {
        self.role = role
        self.isContended = isContended
        self.interval = interval
        self.count = count
    }
}
