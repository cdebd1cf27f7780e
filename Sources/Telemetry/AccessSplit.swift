/// The time that accesses to a database spent in each phase.
///
/// For each role, one split covers all accesses that waited, and a second split covers a sample of
/// the accesses that did not wait. Do not add the two splits, because the sum would overstate the
/// waits. To calculate a phase's total time in nanoseconds, multiply the mean of the phase's
/// summary by the summary's count.
public struct AccessSplit: Sendable, Codable, Equatable {
    /// The role of the connections.
    public var role: ConnectionRole
    /// Whether the accesses waited for a connection or for its opening.
    public var isContended: Bool
    /// The sampling interval: one in `interval` accesses is measured.
    ///
    /// The value 1 means all accesses.
    public var interval: Int
    /// The number of measured accesses.
    public var count: UInt64
    /// The time spent waiting for a connection.
    public var waiting: LatencySummary?
    /// The time spent waiting for a connection to be opened.
    public var opening: LatencySummary?
    /// The time spent starting the transaction, including a write's wait for the file lock.
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
