/// Where the time of a database's accesses went, by what they were doing.
///
/// All accesses that waited are in one split, and a sample of the others in another: adding them
/// up would say that everybody waits. `mean × count` of a phase is its total, in nanoseconds.
public struct AccessSplit: Sendable, Codable, Equatable {
    /// What the connections are for.
    public var role: ConnectionRole
    /// Whether these are the accesses that waited for a connection, or for one to be opened.
    public var isContended: Bool
    /// One access in so many was measured; 1 when all were.
    public var interval: Int
    /// How many accesses were measured.
    public var count: UInt64
    /// Waiting for a connection.
    public var waiting: LatencySummary?
    /// Waiting for a connection to be opened.
    public var opening: LatencySummary?
    /// Beginning the transaction; a write waits for the file's lock here.
    public var acquiringState: LatencySummary?
    /// Inside SQLite, preparing statements and stepping them.
    public var insideSQLite: LatencySummary?
    /// In the caller's closure, while holding the connection.
    public var closure: LatencySummary?
    /// Ending the transaction.
    public var committing: LatencySummary?
    /// Telling transaction observers.
    public var notifying: LatencySummary?

    /// Creates a split without times.
    public init(role: ConnectionRole, isContended: Bool, interval: Int = 1, count: UInt64 = 0) {
        self.role = role
        self.isContended = isContended
        self.interval = interval
        self.count = count
    }
}
