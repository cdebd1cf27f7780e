/// The activity and cost of a database's value observations since it was opened.
public struct ObservationStatus: Sendable, Codable, Equatable {
    /// The number of active observations.
    public var active: Int
    /// The number of values that were fetched on readers.
    public var fetchesOnReaders: UInt64
    /// The number of values that were fetched on the writing connection.
    public var fetchesOnWriter: UInt64
    /// The number of changes that did not require a separate fetch.
    ///
    /// A change is coalesced if it arrives while a fetch is pending, because that fetch includes
    /// the change.
    public var coalesced: UInt64
    /// The number of values that were not delivered because they equaled the previous value.
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
