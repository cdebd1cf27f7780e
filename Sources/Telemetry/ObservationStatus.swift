/// The activity and cost of a database's value observations since it was opened.
public struct ObservationStatus: Sendable, Codable, Equatable {
    /// The number of active observations.
    public var active: Int
    /// The number of values that readers fetched.
    public var fetchesOnReaders: UInt64
    /// The number of values that were fetched on the connection that writes.
    public var fetchesOnWriter: UInt64
    /// The number of changes without a separate fetch.
    ///
    /// They arrived while a fetch ran and another was pending, or before the start of a fetch that
    /// shows them.
    public var coalesced: UInt64
    /// The number of values that equaled the previous value and were not delivered.
    public var duplicates: UInt64

    /// Creates a status.
    public init(
        active: Int = 0,
        fetchesOnReaders: UInt64 = 0,
        fetchesOnWriter: UInt64 = 0,
        coalesced: UInt64 = 0,
        duplicates: UInt64 = 0
    ) {
        self.active = active
        self.fetchesOnReaders = fetchesOnReaders
        self.fetchesOnWriter = fetchesOnWriter
        self.coalesced = coalesced
        self.duplicates = duplicates
    }
}
